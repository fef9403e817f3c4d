using PerformanceTesting.Backends.Containers;
using Workflow.Stores.Oracle.Driver;

namespace PerformanceTesting.Backends.Oracle;

/// <summary>Provides Oracle servers.</summary>
internal sealed class OracleProvider : ServerProvider
{
    private const string OfficialImage = "gvenzl/oracle-free:23-slim";

    public override ServerKind Kind => ServerKind.Oracle;

    public override string HowToEnable { get; } =
        $"build with -p:Oracle=true, which adds Oracle's driver; and docker pull {OfficialImage}, or export "
            + $"{ServerKind.Oracle.Variable}='Data Source=127.0.0.1:1521/FREEPDB1;User Id=system;Password=...'";

    public override ContainerImage Image { get; } =
        new(ServerKind.Oracle.Name, OfficialImage, Local: null) { IsPulledAutomatically = false };

    public override string? MissingDriver =>
        OracleDriver.IsPresent ? null : "Oracle's driver is not part of this build";

    public override bool Supports(ProvisionMode mode) => mode != ProvisionMode.Native && base.Supports(mode);

    public override async Task<BackendServer> ConnectAsync(
        string connectionString, CancellationToken cancellationToken) =>
        await OracleServer.ConnectAsync(connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await OracleServer.StartContainerAsync(engine, image, cancellationToken);
}
