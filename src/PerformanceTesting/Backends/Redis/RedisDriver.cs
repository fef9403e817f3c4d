using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Notifications;
using Workflow.Notifications.Redis;

namespace PerformanceTesting.Backends.Redis;

/// <summary>Notifications over Redis, which keeps nothing of the workflows.</summary>
internal sealed class RedisDriver : SignalDriver
{
    public override IReadOnlyList<ServerProvider> Servers { get; } = [new RedisProvider()];

    /// <summary>
    /// The durability is the database's: nothing is kept in Redis, and losing a notification loses no work.
    /// </summary>
    public override async Task<BackendInfo> DescribeAsync(
        BackendInfo store, Backend backend, CancellationToken cancellationToken)
    {
        var redis = backend.GetServer<RedisServer>();
        var settings = await redis.ReadSettingsAsync(cancellationToken);
        var named = settings.Settings.Select(setting => KeyValuePair.Create($"redis.{setting.Key}", setting.Value));
        return store with
        {
            Settings = store.Settings.Concat(named).Append(new("redis.version", settings.Version))
                .ToDictionary(StringComparer.Ordinal),
            Notes =
            [
                .. store.Notes,
                $"Notifications over Redis {settings.Version}, {redis.Description}, by itself {settings.Durability}; "
                    + $"it keeps nothing of the workflows.",
            ],
        };
    }

    public override SignalChannel Open(Backend backend) => new RedisChannel(backend.GetServer<RedisServer>());

    private sealed class RedisChannel(RedisServer server) : SignalChannel
    {
        private readonly string _name = $"perf-{Guid.NewGuid():N}";

        public override IReadOnlyDictionary<string, string> ServiceSettings => new Dictionary<string, string>
        {
            [ProviderKey] = "Redis",
            ["ConnectionStrings:Redis"] = server.ConnectionString,
            ["WorkflowSignalDriver:ChannelPrefix"] = _name,
        };

        public override IReadOnlyList<string> Notes { get; } =
        [
            "One node owns every lane, so no node is woken and notifications stay 0. "
                + "What notifications gain between two nodes is measured by the benchmark notifications.",
        ];

        public override INotifier CreateNotifier() => new RedisNotifier(
            new() { ConnectionString = server.ConnectionString, Cluster = _name }, TimeProvider.System,
            NullLoggerFactory.Instance);

        public override IReadOnlyList<IRunObserver> Observe() =>
            [new CountersObserver(async token => await RedisCollector.StartAsync(server.ConnectionString, token))];
    }
}
