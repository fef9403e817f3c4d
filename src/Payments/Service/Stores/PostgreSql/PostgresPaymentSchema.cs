using Npgsql;

namespace Payments.Service.Stores.PostgreSql;

/// <summary>A schema that is migrated in one transaction; services that start together wait for one another.</summary>
internal sealed class PostgresPaymentSchema(NpgsqlConnection connection, string schema) : ISchemaTarget
{
    private static readonly SqlFile Statements = SqlFile.Of(typeof(PostgresPaymentSchema).Assembly, "schema");

    public string Description => $"Schema '{schema}'";

    public static async Task ApplyAsync(NpgsqlConnection connection, string schema, CancellationToken cancellationToken)
    {
        var target = new PostgresPaymentSchema(connection, schema);
        await using var transaction = await connection.BeginTransactionAsync(cancellationToken);
        await target.RunAsync(Statements["lock_versions"], cancellationToken);
        await SchemaMigration.ApplyAsync(
            target, SchemaFile.Of(typeof(PostgresPaymentSchema).Assembly), cancellationToken);
        await transaction.CommitAsync(cancellationToken);
    }

    public async Task<bool> IsBeforeReleaseAsync(CancellationToken cancellationToken) =>
        (bool)await ScalarAsync("is_before_release", cancellationToken);

    public async Task PrepareAsync(CancellationToken cancellationToken)
    {
        await RunAsync($"create schema if not exists {schema}", cancellationToken);
        await RunAsync(Statements["create_versions"], cancellationToken);
    }

    public async Task<int> ReadVersionAsync(CancellationToken cancellationToken) =>
        (int)await ScalarAsync("read_version", cancellationToken);

    public async Task ApplyAsync(SchemaFile file, CancellationToken cancellationToken)
    {
        await RunAsync(file.Text, cancellationToken);
        await RunAsync(
            Statements["add_version"], cancellationToken, new NpgsqlParameter<int> { TypedValue = file.Version });
    }

    private async Task<object> ScalarAsync(string statement, CancellationToken cancellationToken)
    {
        await using var command = new NpgsqlCommand(Statements[statement], connection);
        return (await command.ExecuteScalarAsync(cancellationToken))!;
    }

    private async Task RunAsync(string sql, CancellationToken cancellationToken, params NpgsqlParameter[] parameters)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        command.Parameters.AddRange(parameters);
        await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
