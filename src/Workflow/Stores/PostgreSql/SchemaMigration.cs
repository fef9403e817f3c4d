using Npgsql;

namespace Workflow.Stores.PostgreSql;

/// <summary>Brings a schema up to date: numbered files, each applied once, all in one transaction, safe to run from several processes at once.</summary>
internal static class SchemaMigration
{
    public static async Task ApplyAsync(NpgsqlConnection connection, string schema, CancellationToken cancellationToken)
    {
        var transaction = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            await RunAsync(connection, "select pg_advisory_xact_lock(hashtextextended('workflow schema migration', 0))", cancellationToken).ConfigureAwait(false);
            await RunAsync(connection, $"create schema if not exists {schema}", cancellationToken).ConfigureAwait(false);
            await RunAsync(connection, "create table if not exists schema_versions (version integer primary key, applied_utc timestamptz not null default now())", cancellationToken).ConfigureAwait(false);
            var applied = await AppliedAsync(connection, cancellationToken).ConfigureAwait(false);
            var files = SqlText.SchemaFiles();
            if (applied > files[^1].Version)
            {
                throw new InvalidOperationException($"Schema '{schema}' has version {applied}; this build knows up to {files[^1].Version}. Use a newer build, or another schema.");
            }

            foreach (var (version, text) in files.Where(f => f.Version > applied))
            {
                await RunAsync(connection, text, cancellationToken).ConfigureAwait(false);
                await RunAsync(connection, $"insert into schema_versions (version) values ({version})", cancellationToken).ConfigureAwait(false);
            }

            await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private static async Task<int> AppliedAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        var command = new NpgsqlCommand("select coalesce(max(version), 0) from schema_versions", connection);
        await using (command.ConfigureAwait(false))
        {
            return (int)(await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false))!;
        }
    }

    private static async Task RunAsync(NpgsqlConnection connection, string sql, CancellationToken cancellationToken)
    {
        var command = new NpgsqlCommand(sql, connection);
        await using (command.ConfigureAwait(false))
        {
            await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}
