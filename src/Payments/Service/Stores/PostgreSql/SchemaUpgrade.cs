using Npgsql;

namespace Payments.Service.Stores.PostgreSql;

/// <summary>Applies the numbered files that a schema lacks, all in one transaction; services that start together wait for one another.</summary>
internal static class SchemaUpgrade
{
    public static async Task ApplyAsync(NpgsqlConnection connection, string schema, CancellationToken cancellationToken)
    {
        await using var transaction = await connection.BeginTransactionAsync(cancellationToken);
        await RunAsync(
            $"""
            select pg_advisory_xact_lock(hashtextextended('payments schema', 0));
            create schema if not exists {schema};
            create table if not exists schema_versions (version integer primary key, applied_utc timestamptz not null default now())
            """);
        await using var newest = new NpgsqlCommand("select coalesce(max(version), 0) from schema_versions", connection);
        var applied = (int)(await newest.ExecuteScalarAsync(cancellationToken))!;
        var known = SqlFiles.Schema().Max(file => file.Version);
        if (applied > known)
        {
            throw new InvalidOperationException($"Schema '{schema}' has version {applied}; this build knows up to {known}. Use a newer build, or another schema.");
        }

        foreach (var (version, text) in SqlFiles.Schema().Where(file => file.Version > applied))
        {
            await RunAsync(text);
            await RunAsync($"insert into schema_versions (version) values ({version})");
        }

        await transaction.CommitAsync(cancellationToken);

        async Task RunAsync(string sql)
        {
            await using var command = new NpgsqlCommand(sql, connection);
            await command.ExecuteNonQueryAsync(cancellationToken);
        }
    }
}
