using IntegrationTests.Shared.Faults;
using Workflow.Abstractions.Notifications;

namespace IntegrationTests.Redis;

/// <summary>The same with every notification lost: slower, and nothing else.</summary>
[Trait("Category", "Integration")]
public sealed class NodesThatLoseEveryNotification(PostgresStoreFixture stores, BackendFixture backends) : NodesOverRedis(stores, backends)
{
    protected override async Task<INotifier> NotifierAsync() => new LostNotifications(await base.NotifierAsync());

    [Fact]
    public async Task Signals_at_the_other_node_arrive_without_a_notification()
    {
        const int Count = 100;
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitForGo);
        var keys = Enumerable.Range(0, Count).Select(i => KeyOf(first, 4, $"lost{i}-")).ToArray();
        await Task.WhenAll(keys.Select((key, i) => first.StartAsync("waitForGo", $$"""{ "id": "{{key}}" }""", key)));

        await Task.WhenAll(keys.Select((key, i) => second.SignalAsync("go", key, $"{i}")));

        Assert.Equal(Count, (await first.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel))
            .Select(e => e.InstanceId).Distinct().Count());
        var notifier = second.Engine.Statistics.Notifications;
        Assert.True(notifier is { Sent: 0, Lost: > 0 }, notifier.ToString());
        Assert.Equal(0, first.Engine.Statistics.Notifications.Received);
    }
}
