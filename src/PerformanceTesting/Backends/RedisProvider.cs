using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>The ways to a Redis server.</summary>
/// <param name="findBinary">Finds the installed server program; the usual places when omitted.</param>
internal sealed class RedisProvider(Func<string?>? findBinary = null) : ServerProvider
{
    public override ServerKind Kind => ServerKind.Redis;

    public override string HowToEnable { get; } =
        (OperatingSystem.IsMacOS() ? "brew install redis" : "apt-get install -y redis-server") +
        $", or export {ServerKind.Redis.Variable}='127.0.0.1:6379,password=...'";

    public override async Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) =>
        await ExternalRedisServer.ConnectAsync(connectionString, Kind.Variable, cancellationToken);

    public override ContainerImage Image { get; } = new(ServerKind.Redis, "redis:7.4.5", "workflow-perf/redis:7.0");

    public override async Task<BackendServer> StartContainerAsync(IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await ContainerRedisServer.StartAsync(engine, image, cancellationToken);

    public override async Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        (findBinary ?? NativeRedisServer.FindBinary)() is { } binary
            ? ProvisionOutcome.Of(await NativeRedisServer.StartAsync(binary, cancellationToken: cancellationToken))
            : ProvisionOutcome.Refused($"no redis-server found in {NativeRedisServer.Places}");
}
