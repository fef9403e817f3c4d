using Foundation;

namespace Workflow.Stores.PostgreSql;

/// <summary>A schema that is migrated in one transaction, under a lock that keeps other processes waiting.</summary>
internal sealed class PostgresSchema(NpgsqlConnection connection, string schema) : ISchemaTarget
{
    public string Description => $"Schema '{schema}'";

    public static async Task ApplyAsync(NpgsqlConnection connection, string schema, CancellationToken cancellationToken)
    {
        var transaction = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            await Query.RunAsync(connection, Sql.Schema["lock_versions"], cancellationToken).ConfigureAwait(false);
            var files = SchemaFile.Of(typeof(PostgresSchema).Assembly);
            await SchemaMigration.ApplyAsync(new PostgresSchema(connection, schema), files, cancellationToken)
                .ConfigureAwait(false);
            await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public async Task<bool> IsBeforeReleaseAsync(CancellationToken cancellationToken) =>
        (await Query.ListAsync(connection, Sql.Schema["is_before_release"], r => r.GetBoolean(0), cancellationToken)
            .ConfigureAwait(false))[0];

    public async Task PrepareAsync(CancellationToken cancellationToken)
    {
        await Query.RunAsync(connection, $"create schema if not exists {schema}", cancellationToken)
            .ConfigureAwait(false);
        await Query.RunAsync(connection, Sql.Schema["create_versions"], cancellationToken).ConfigureAwait(false);
    }

    public async Task<int> ReadVersionAsync(CancellationToken cancellationToken) =>
        (await Query.ListAsync(connection, Sql.Schema["read_version"], r => r.GetInt32(0), cancellationToken)
            .ConfigureAwait(false))[0];

    public async Task ApplyAsync(SchemaFile file, CancellationToken cancellationToken)
    {
        await Query.RunAsync(connection, file.Text, cancellationToken).ConfigureAwait(false);
        await Query.RunAsync(connection, Sql.Schema["add_version"], cancellationToken, Query.Of(file.Version))
            .ConfigureAwait(false);
    }
}
