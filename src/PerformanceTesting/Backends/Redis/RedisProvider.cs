using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends.Redis;

/// <summary>Provides Redis servers.</summary>
/// <param name="findProgram">Finds the installed server program; the usual places when omitted.</param>
internal sealed class RedisProvider(Func<string?>? findProgram = null) : ServerProvider
{
    public override ServerKind Kind => ServerKind.Redis;

    public override string HowToEnable { get; } =
        (OperatingSystem.IsMacOS() ? "brew install redis" : "apt-get install -y redis-server") +
        $", or export {ServerKind.Redis.Variable}='127.0.0.1:6379,password=...'";

    public override ContainerImage Image { get; } =
        new(ServerKind.Redis.Name, "redis:7.4.5", "workflow-perf/redis:7.0");

    public override async Task<BackendServer> ConnectAsync(
        string connectionString, CancellationToken cancellationToken) =>
        await RedisServer.ConnectAsync(connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await RedisServer.StartContainerAsync(engine, image, cancellationToken);

    public override async Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        (findProgram ?? RedisNative.FindProgram)() is { } program
            ? ProvisionOutcome.Of(await RedisServer.StartNativeAsync(program, cancellationToken: cancellationToken))
            : ProvisionOutcome.Refused($"no redis-server found in {RedisNative.Places}");
}
