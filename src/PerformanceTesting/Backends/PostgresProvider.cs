using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>The ways to a PostgreSQL server.</summary>
/// <param name="findBinaries">Finds installed PostgreSQL binaries; the usual places when omitted.</param>
internal sealed class PostgresProvider(Func<PostgresBinaries?>? findBinaries = null) : ServerProvider
{
    public override ServerKind Kind => ServerKind.Postgres;

    public override string HowToEnable { get; } =
        (OperatingSystem.IsWindows() ? "winget install PostgreSQL.PostgreSQL.17"
            : OperatingSystem.IsMacOS() ? "brew install postgresql@17"
            : "apt-get install -y postgresql") +
        $", or export {ServerKind.Postgres.Variable}='Host=...;Port=5432;Username=...;Password=...;Database=postgres'";

    public override async Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) =>
        await ExternalPostgresServer.ConnectAsync(connectionString, Kind.Variable, cancellationToken);

    public override ContainerImage Image { get; } = new(ServerKind.Postgres, "postgres:17.6", "workflow-perf/postgres:15");

    public override async Task<BackendServer> StartContainerAsync(IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await ContainerPostgresServer.StartAsync(engine, image, memoryDataBytes: null, cancellationToken);

    public override async Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        (findBinaries ?? PostgresBinaries.Find)() is { } binaries
            ? ProvisionOutcome.Of(await NativePostgresServer.StartAsync(binaries, cancellationToken: cancellationToken))
            : ProvisionOutcome.Refused($"no initdb, postgres and pg_ctl found in {PostgresBinaries.Places}");
}
