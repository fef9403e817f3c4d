using Npgsql;
using PerformanceTesting.Backends.PostgreSql;

namespace IntegrationTests.Backends;

/// <summary>Statements that make an ordinary user on a server under test.</summary>
internal static class Roles
{
    public static Task CreateRoleAsync(this PostgresServer server, string role, string password, CancellationToken cancellationToken) =>
        ExecuteAsync(
            server.AdministrationConnectionString, $"DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD '{password}'",
            cancellationToken);

    public static Task GrantSchemasAsync(
        this PostgresServer server, string connectionString, string role, CancellationToken cancellationToken) =>
        ExecuteAsync(
            server.AdministrationConnectionString,
            $"GRANT CREATE ON DATABASE {new NpgsqlConnectionStringBuilder(connectionString).Database} TO {role}",
            cancellationToken);

    private static async Task ExecuteAsync(string connectionString, string sql, CancellationToken cancellationToken)
    {
        await using var source = NpgsqlDataSource.Create(connectionString);
        await using var command = source.CreateCommand(sql);
        await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
