using System.ComponentModel.Design;
using System.Threading.Channels;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;
using static IntegrationTests.Shared.Conformance.NotificationWaits;

namespace IntegrationTests.Mongo;

/// <summary>Notifications by a change stream: a commit of the store wakes the lane.</summary>
[Trait("Category", "Integration")]
public sealed class MongoNotifierTests(MongoStoreFixture stores) : IClassFixture<MongoStoreFixture>, IAsyncLifetime
{
    private readonly Channel<int> _woken = Channel.CreateUnbounded<int>();
    private IWorkflowStore? _opened;
    private MongoNotifier? _notifier;
    private long _position;

    private IWorkflowStore Store =>
        _opened ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync()
    {
        _opened = (await stores.CreateAsync(Cancel))();
        await _opened.OpenAsync(Cancel);
        var awaitTime = TimeSpan.FromSeconds(0.1);
        _notifier = new(new() { ConnectionString = stores.ConnectionString, Lanes = 4, AwaitTime = awaitTime });
        await _notifier.ListenAsync(lane => _woken.Writer.TryWrite(lane), Cancel);
    }

    public async ValueTask DisposeAsync()
    {
        await (_notifier?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_opened?.DisposeAsync() ?? ValueTask.CompletedTask);
    }

    [Fact]
    public async Task Messages_wake_the_lanes_of_their_partitions_once_each()
    {
        await PutAsync(6, 6, 10, 3);

        Assert.Equal([2, 3], await TakeAsync(_woken, 2));
        Assert.Equal(2, _notifier!.Counts.Received);
    }

    [Fact]
    public async Task Message_removed_from_an_inbox_wakes_no_lane()
    {
        var message = await PutAsync(1);
        Assert.Equal([1], await TakeAsync(_woken, 1));

        await using var lane = await Store.OpenLaneAsync(new(1, 4), Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(StoreRows.Batch(1, b => b.PendingRemoved.Add(message)), Cancel);
        await PutAsync(2);

        Assert.Equal([2], await TakeAsync(_woken, 1));
    }

    [Fact]
    public async Task Signal_among_the_messages_wakes_no_lane()
    {
        await using var lane = await Store.OpenLaneAsync(new(0, 4), Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(StoreRows.Batch(1, b => b.Pending.Add(StoreRows.Signal(Guid.CreateVersion7()))), Cancel);
        await PutAsync(2);

        Assert.Equal([2], await TakeAsync(_woken, 1));
    }

    [Fact]
    public async Task Host_finds_the_notifications_of_the_store_by_their_adapter()
    {
        var adapter = new MongoNotifierAdapter();
        var settings = new NotifierSettings
        {
            ConnectionString = "mongodb://ann:hush@a.test:1/notifications", Lanes = 4,
        };

        await using var notifier = adapter.Create(settings, new ServiceContainer());

        Assert.Equal(("Native", new MongoAdapter().Provider), (adapter.Provider, adapter.Store));
        Assert.Equal(
            "change stream of inboxes, MongoDB at a.test:1, database 'notifications', user 'ann'",
            notifier.Description);
    }

    [Theory]
    [InlineData(0, 1, "Lanes is 0; it must be 1 to 64")]
    [InlineData(65, 1, "Lanes is 65; it must be 1 to 64")]
    [InlineData(4, 0.05, "AwaitTime is 00:00:00.0500000; it must be 0.1 to 10 s")]
    [InlineData(4, 11, "AwaitTime is 00:00:11; it must be 0.1 to 10 s")]
    public void Option_out_of_range_is_refused_with_its_value(int lanes, double awaitSeconds, string part)
    {
        var options = new MongoNotifierOptions
        {
            ConnectionString = "mongodb://a.test:1",
            Lanes = lanes,
            AwaitTime = TimeSpan.FromSeconds(awaitSeconds),
        };

        var error = Assert.Throws<ArgumentException>(() => new MongoNotifier(options));

        Assert.Contains(part, error.Message, StringComparison.Ordinal);
    }

    /// <summary>Puts messages for those partitions, together.</summary>
    /// <returns>The id of the last one.</returns>
    private async Task<Guid> PutAsync(params short[] partitions)
    {
        InboxMessage[] messages = [.. partitions.Select(partition =>
            new InboxMessage(StoreRows.Message(Guid.CreateVersion7(), ++_position, partition)))];
        await Store.Cluster!.PutAsync(messages, Cancel);
        return messages[^1].Row.Id;
    }
}
