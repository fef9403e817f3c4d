using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends.PostgreSql;

/// <param name="findBinaries">Finds installed PostgreSQL binaries; the usual places when omitted.</param>
/// <param name="inMemory">Whether servers that are started keep their data in memory.</param>
internal sealed class PostgresProvider(Func<PostgresBinaries?>? findBinaries = null, bool inMemory = false)
    : ServerProvider
{
    private const long MemoryBytes = 4L << 30;

    public override ServerKind Kind => ServerKind.Postgres;

    public override string HowToEnable { get; } =
        (OperatingSystem.IsWindows() ? "winget install PostgreSQL.PostgreSQL.17"
            : OperatingSystem.IsMacOS() ? "brew install postgresql@17"
            : "apt-get install -y postgresql") +
        $", or export {ServerKind.Postgres.Variable}='Host=...;Port=5432;Username=...;Password=...;Database=postgres'";

    public override ContainerImage Image { get; } =
        new(ServerKind.Postgres.Name, "postgres:17.6", "workflow-perf/postgres:15");

    public override async Task<BackendServer> ConnectAsync(
        string connectionString, CancellationToken cancellationToken) =>
        await PostgresServer.ConnectAsync(connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await PostgresServer.StartContainerAsync(engine, image, inMemory ? MemoryBytes : null, cancellationToken);

    public override async Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        (findBinaries ?? PostgresBinaries.Find)() is { } binaries
            ? ProvisionOutcome.Of(
                await PostgresServer.StartNativeAsync(
                    binaries, inMemory: inMemory, cancellationToken: cancellationToken))
            : ProvisionOutcome.Refused($"no initdb, postgres and pg_ctl found in {PostgresBinaries.Places}");
}
