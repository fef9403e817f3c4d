using PerformanceTesting.Backends.Containers;
using Workflow.Abstractions.Exceptions;
using Workflow.Stores.Oracle.Driver;

namespace PerformanceTesting.Backends.Oracle;

/// <summary>The ways to an Oracle server. None leads anywhere in a build without Oracle's driver.</summary>
internal sealed class OracleProvider : ServerProvider
{
    private static readonly bool HasDriver = FindDriver();

    public override ServerKind Kind => ServerKind.Oracle;

    public override string HowToEnable { get; } =
        $"build with -p:FullFeed=true, which has Oracle's driver, and docker pull {OfficialImage}, "
        + $"or export {ServerKind.Oracle.Variable}='Data Source=127.0.0.1:1521/FREEPDB1;User Id=system;Password=...'";

    public override ContainerImage? Image => HasDriver ? new(ServerKind.Oracle, OfficialImage, Local: null) : null;

    public override bool Takes(ProvisionMode way) => way != ProvisionMode.Native && base.Takes(way);

    private static string OfficialImage => "gvenzl/oracle-free:23-slim";

    public override async Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) =>
        await OracleServer.ConnectAsync(connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await OracleServer.StartAsync(engine, image, cancellationToken);

    public override Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        HasDriver ? base.StartNativeAsync(cancellationToken) : Task.FromResult(ProvisionOutcome.Refused("this build has no Oracle driver"));

    private static bool FindDriver()
    {
        try
        {
            OracleDriver.Load();
            return true;
        }
        catch (StoreUnavailableException)
        {
            return false;
        }
    }
}
