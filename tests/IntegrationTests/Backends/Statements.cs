namespace IntegrationTests.Backends;

/// <summary>Single statements on a PostgreSQL server.</summary>
internal static class Statements
{
    /// <summary>Runs a statement in a separate session outside any pool and returns its first value.</summary>
    public static async Task<object?> ScalarAsync(string connectionString, string sql)
    {
        var builder = new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false };
        await using var connection = new NpgsqlConnection(builder.ConnectionString);
        await connection.OpenAsync(Cancel);
        await using var command = new NpgsqlCommand(sql, connection);
        return await command.ExecuteScalarAsync(Cancel);
    }

    /// <summary>The same, in sessions that <see cref="EndedAsync"/> knows.</summary>
    public static PostgresStoreOptions Named(this PostgresStoreOptions options) =>
        options with { ConnectionString = $"{options.ConnectionString};Application Name={options.Schema}" };

    /// <summary>
    /// Waits until the <see cref="Named"/> sessions have ended. That is when they report what they did to the server's
    /// statistics, and a client that closes a session does not wait for it.
    /// </summary>
    public static Task EndedAsync(this PostgresStoreOptions options) => Eventually.BecomesAsync(
        async () => (long)(await ScalarAsync(
            options.ConnectionString,
            $"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{options.Schema}'"))!,
        left => left == 0,
        left => $"{left} sessions to end");

    /// <summary>The shared server if tests may create roles on it. Skips the test otherwise.</summary>
    public static async Task<PostgresServer> OwnServerAsync(this BackendFixture fixture)
    {
        await fixture.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var server = await fixture.Catalog.PostgresAsync(Cancel);
        Assert.SkipUnless(
            server.Host.Provision != ProvisionMode.External, "The server is an external one, where tests make no roles.");
        return server;
    }

    /// <summary>Makes an ordinary user.</summary>
    public static Task CreateRoleAsync(this PostgresServer server, string role, string password) => ScalarAsync(
        server.AdministrationConnectionString, $"DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD '{password}'");

    public static Task GrantSchemasAsync(this PostgresServer server, string connectionString, string role) =>
        ScalarAsync(
        server.AdministrationConnectionString,
        $"GRANT CREATE ON DATABASE {new NpgsqlConnectionStringBuilder(connectionString).Database} TO {role}");
}
