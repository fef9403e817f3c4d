namespace IntegrationTests.Shared.Backends;

/// <summary>Gets a PostgreSQL server by the way that <c>WORKFLOW_PERF_PROVISION</c> chooses, and keeps why the others fell through.</summary>
internal sealed class PostgresProvisioner(BackendVariables variables, Func<PostgresBinaries?> findBinaries)
{
    public static string HowToEnable { get; } =
        (OperatingSystem.IsWindows() ? "winget install PostgreSQL.PostgreSQL.17"
            : OperatingSystem.IsMacOS() ? "brew install postgresql@17"
            : "apt-get install -y postgresql") +
        $", or export {BackendVariables.PostgresName}='Host=...;Port=5432;Username=...;Password=...;Database=postgres'";

    /// <summary>Tries the ways in order.</summary>
    /// <returns>The server, or null when every way fell through, and what was tried.</returns>
    /// <exception cref="BackendException">A way that was chosen explicitly, by mode or by connection string, fails.</exception>
    public async Task<(PostgresServer? Server, IReadOnlyList<ProvisionAttempt> Attempts)> ProvisionAsync(CancellationToken cancellationToken)
    {
        ProvisionMode[] ways = variables.Provision == ProvisionMode.Auto
            ? [ProvisionMode.External, ProvisionMode.Container, ProvisionMode.Native]
            : [variables.Provision];
        var attempts = new List<ProvisionAttempt>();
        foreach (var way in ways)
        {
            var (server, refusal) = await TryAsync(way, cancellationToken);
            attempts.Add(new ProvisionAttempt(way, server is not null, server?.Description ?? refusal!));
            if (server is not null)
            {
                return (server, attempts);
            }
        }

        return variables.Provision == ProvisionMode.Auto
            ? (null, attempts)
            : throw new BackendException(
                $"{BackendVariables.ProvisionName} asks for {attempts[0]}. To enable it: {HowToEnable}; or unset {BackendVariables.ProvisionName}.");
    }

    private async Task<(PostgresServer? Server, string? Refusal)> TryAsync(ProvisionMode way, CancellationToken cancellationToken)
    {
        switch (way)
        {
            case ProvisionMode.External:
                // A connection string is an explicit choice: when it is wrong, measuring another server instead would mislead.
                return variables.PostgresConnectionString is { } connectionString
                    ? (await ExternalPostgresServer.ConnectAsync(connectionString, BackendVariables.PostgresName, cancellationToken), null)
                    : (null, $"{BackendVariables.PostgresName} is not set");
            case ProvisionMode.Container:
                return (null, "containers are not supported yet");
            default:
                return findBinaries() is { } binaries
                    ? (await NativePostgresServer.StartAsync(binaries, cancellationToken: cancellationToken), null)
                    : (null, $"no initdb, postgres and pg_ctl found in {PostgresBinaries.Places}");
        }
    }
}
