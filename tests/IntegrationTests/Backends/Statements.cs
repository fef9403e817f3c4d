namespace IntegrationTests.Backends;

/// <summary>Single statements on a PostgreSQL server.</summary>
internal static class Statements
{
    /// <summary>Runs a statement in a session of its own, outside any pool, and returns its first value.</summary>
    public static async Task<object?> ScalarAsync(string connectionString, string sql)
    {
        var builder = new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false };
        await using var connection = new NpgsqlConnection(builder.ConnectionString);
        await connection.OpenAsync(Cancel);
        await using var command = new NpgsqlCommand(sql, connection);
        return await command.ExecuteScalarAsync(Cancel);
    }

    /// <summary>Makes an ordinary user.</summary>
    public static Task CreateRoleAsync(this PostgresServer server, string role, string password) => ScalarAsync(
        server.AdministrationConnectionString, $"DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD '{password}'");

    public static Task GrantSchemasAsync(this PostgresServer server, string connectionString, string role) => ScalarAsync(
        server.AdministrationConnectionString,
        $"GRANT CREATE ON DATABASE {new NpgsqlConnectionStringBuilder(connectionString).Database} TO {role}");
}
