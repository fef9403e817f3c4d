using System.ComponentModel.Design;
using System.Threading.Channels;
using MongoDB.Driver;
using MongoDB.StandIn;
using Workflow.Stores.MongoDb;
using Workflow.Abstractions;
using Workflow.Abstractions.Notifications;
using static IntegrationTests.Shared.Conformance.NotificationWaits;

namespace FullFeed.Tests.MongoDb;

/// <summary>Notifications by a change stream, over the running stand-in: what the store commits is what wakes.</summary>
public sealed class MongoNotifierTests : IAsyncDisposable
{
    private readonly string _address = $"{Guid.NewGuid():N}.fake:27017";
    private readonly Channel<int> _woken = Channel.CreateUnbounded<int>();
    private readonly MongoStore _store;
    private long _position;

    public MongoNotifierTests() => _store = new(new() { ConnectionString = ConnectionString });

    private FakeServer Server => FakeServer.At(_address);

    private string ConnectionString => $"mongodb://ann:hush@{_address}/notifications";

    public ValueTask DisposeAsync() => _store.DisposeAsync();

    [Fact]
    public async Task Message_wakes_the_lane_of_its_partition_and_one_notification_does_for_many()
    {
        await using var notifier = await ListenAsync();

        await PutAsync(6, 6, 10, 3);

        Assert.Equal([2, 3], await TakeAsync(_woken, 2));
        Assert.Equal(2, notifier.Counts.Received);
    }

    [Fact]
    public async Task Nothing_is_sent_as_the_message_is_the_notification()
    {
        await using var notifier = await ListenAsync();
        await PutAsync(3);
        await TakeAsync(_woken, 1);
        var calls = Server.Calls.Count(call => call.Name is not "getMore");

        notifier.Send(3);

        Assert.Equal(new NotificationCounts(1, 0, 0, 1), notifier.Counts);
        Assert.Equal(calls, Server.Calls.Count(call => call.Name is not "getMore"));
    }

    [Fact]
    public async Task What_is_removed_from_an_inbox_wakes_nobody()
    {
        await using var notifier = await ListenAsync();
        var message = await PutAsync(1);
        Assert.Equal([1], await TakeAsync(_woken, 1));

        await using var lane = await _store.OpenLaneAsync(new(1, 4), Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(StoreRows.Batch(1, b => b.PendingRemoved.Add(message)), Cancel);
        await PutAsync(2);

        Assert.Equal([2], await TakeAsync(_woken, 1));
    }

    [Fact]
    public async Task Signal_that_waits_beside_the_messages_wakes_nobody()
    {
        await using var notifier = await ListenAsync();
        await using var lane = await _store.OpenLaneAsync(new(0, 4), Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(StoreRows.Batch(1, b => b.Pending.Add(StoreRows.Signal(Guid.CreateVersion7()))), Cancel);
        await PutAsync(2);

        Assert.Equal([2], await TakeAsync(_woken, 1));
    }

    [Fact]
    public async Task Look_waits_at_the_server_for_a_bounded_time_at_new_messages_only()
    {
        await using var notifier = await ListenAsync();
        await UntilAsync(() => Server.Calls.Any(call => call.Name == "getMore"));

        var watch = Server.Calls.First(call => call.Name == "aggregate");
        Assert.Equal(("pending", TimeSpan.FromSeconds(0.1)), (watch.Collection, watch.MaxTime));
        Assert.Contains("\"operationType\": \"insert\"", watch.Detail, StringComparison.Ordinal);
        Assert.Equal(ReadConcernLevel.Majority, watch.ReadConcern?.Level);
    }

    [Fact]
    public async Task Stream_that_broke_goes_on_where_it_was_and_misses_nothing()
    {
        await using var notifier = await ListenAsync();
        await PutAsync(1);
        Assert.Equal([1], await TakeAsync(_woken, 1));
        var broken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Server.Before =
            (call, _) => call.Name is "getMore" or "aggregate" && broken.TrySetResult() ? throw FakeErrors.Network() : Task.CompletedTask;
        await broken.Task.WaitAsync(Patience, Cancel);
        await PutAsync(2);

        Assert.Equal([2], await TakeAsync(_woken, 1));
        Assert.Null(notifier.Trouble);
    }

    [Fact]
    public async Task Server_that_is_away_is_reported_and_tried_again_and_then_every_lane_looks()
    {
        await _store.OpenAsync(Cancel);
        Server.Before = (call, _) => call.Name == "connect" ? throw FakeErrors.Network() : Task.CompletedTask;
        await using var notifier = Notifier();
        await notifier.ListenAsync(lane => _woken.Writer.TryWrite(lane), Cancel).WaitAsync(Patience, Cancel);

        Assert.NotNull(notifier.Trouble);
        Server.Before = (_, _) => Task.CompletedTask;

        Assert.Equal([INotifier.EveryLane], await TakeAsync(_woken, 1));
        Assert.Null(notifier.Trouble);
    }

    [Fact]
    public async Task History_that_the_server_has_lost_makes_every_lane_look_and_the_stream_begin_anew()
    {
        await using var notifier = await ListenAsync();
        await PutAsync(1);
        Assert.Equal([1], await TakeAsync(_woken, 1));
        Server.OldestChange = Server.ChangesEnd + 1;
        await PutAsync(2, 3, 4);

        Assert.Equal([INotifier.EveryLane], await TakeAsync(_woken, 1));
        await PutAsync(5);
        Assert.Equal([5 % 4], await TakeAsync(_woken, 1));
    }

    [Fact]
    public async Task Wrong_password_is_reported_without_it()
    {
        await _store.OpenAsync(Cancel);
        Server.Password = "right";
        await using var notifier = Notifier();
        await notifier.ListenAsync(_ => { }, Cancel).WaitAsync(Patience, Cancel);

        Assert.Contains("authenticate", notifier.Trouble, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", $"{notifier.Trouble} {notifier.Description}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Disposal_does_not_wait_for_a_look_that_is_under_way_and_ends_everything()
    {
        var notifier = await ListenAsync(awaitSeconds: 10);
        await UntilAsync(() => Server.Calls.Any(call => call.Name == "getMore"));

        await notifier.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(5), Cancel);
        notifier.Send(1);

        Assert.Equal(0, notifier.Counts.Sent);
        await Assert.ThrowsAsync<InvalidOperationException>(() => notifier.ListenAsync(_ => { }, Cancel));
    }

    [Fact]
    public async Task Host_finds_the_notifications_of_the_store_by_their_adapter()
    {
        var adapter = new MongoNotifierAdapter();

        await using var notifier = adapter.Create(new() { ConnectionString = ConnectionString, Lanes = 4 }, new ServiceContainer());

        Assert.Equal(("Native", new MongoAdapter().Provider), (adapter.Provider, adapter.Store));
        Assert.Equal($"change stream of inboxes, MongoDB at {_address}, database 'notifications', user 'ann'", notifier.Description);
    }

    [Theory]
    [InlineData(0, 1, "Lanes is 0; it must be 1 to 64")]
    [InlineData(65, 1, "Lanes is 65; it must be 1 to 64")]
    [InlineData(4, 0.05, "AwaitTime is 00:00:00.0500000; it must be 0.1 to 10 s")]
    [InlineData(4, 11, "AwaitTime is 00:00:11; it must be 0.1 to 10 s")]
    public void Option_out_of_range_is_refused_with_its_value(int lanes, double awaitSeconds, string part) =>
        Assert.Contains(part, Assert.Throws<ArgumentException>(() => Notifier(lanes, awaitSeconds)).Message, StringComparison.Ordinal);

    private MongoNotifier Notifier(int lanes = 4, double awaitSeconds = 0.1) =>
        new(new() { ConnectionString = ConnectionString, Lanes = lanes, AwaitTime = TimeSpan.FromSeconds(awaitSeconds) });

    private async Task<MongoNotifier> ListenAsync(double awaitSeconds = 0.1)
    {
        await _store.OpenAsync(Cancel);
        var notifier = Notifier(awaitSeconds: awaitSeconds);
        await notifier.ListenAsync(lane => _woken.Writer.TryWrite(lane), Cancel);
        return notifier;
    }

    /// <summary>Puts messages for those partitions, together.</summary>
    /// <returns>The id of the last one.</returns>
    private async Task<Guid> PutAsync(params short[] partitions)
    {
        InboxMessage[] messages = [.. partitions.Select(partition =>
            new InboxMessage(StoreRows.Message(Guid.CreateVersion7(), ++_position, partition)))];
        await _store.Cluster!.PutAsync(messages, Cancel);
        return messages[^1].Row.Id;
    }
}
