using IntegrationTests.Shared.Faults;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Notifications;
using Workflow.Notifications.Redis;

namespace IntegrationTests.Redis;

/// <summary>The suite of several nodes over Redis, and what becomes of signals when it delivers nothing.</summary>
[Trait("Category", "Integration")]
public sealed class NodesOverRedis(PostgresStoreFixture stores, BackendFixture backends)
    : NodeConformance<PostgresStoreFixture>(stores)
{
    private readonly string _cluster = $"test-{Guid.NewGuid():N}";
    private bool _losesAll;

    protected override async Task<INotifier> NotifierAsync()
    {
        var redis = await backends.Catalog.RequireServerOrSkipAsync(ServerKind.Redis, Cancel);
        var notifier = new RedisNotifier(
            new() { ConnectionString = redis.ConnectionString, Cluster = _cluster },
            TimeProvider.System,
            NullLoggerFactory.Instance);
        return _losesAll ? new LostNotifications(notifier) : notifier;
    }

    [Fact]
    public async Task Signals_at_the_other_node_arrive_without_a_notification()
    {
        const int Count = 100;
        _losesAll = true;
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitForGo);
        var keys = Enumerable.Range(0, Count).Select(i => KeyOf(first, 4, $"lost{i}-")).ToArray();
        await Task.WhenAll(keys.Select((key, i) => first.StartAsync("waitForGo", $$"""{ "id": "{{key}}" }""", key)));

        await Task.WhenAll(keys.Select((key, i) => second.SignalAsync("go", key, $"{i}")));

        var completed = await first.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
        Assert.Equal(Count, completed.Select(e => e.InstanceId).Distinct().Count());
        var notifier = second.Engine.Statistics.Notifications;
        Assert.True(notifier is { Sent: 0, Lost: > 0 }, notifier.ToString());
        Assert.Equal(0, first.Engine.Statistics.Notifications.Received);
    }
}
