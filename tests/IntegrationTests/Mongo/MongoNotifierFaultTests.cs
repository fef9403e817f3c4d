using System.Threading.Channels;
using IntegrationTests.Mongo.Server;
using Workflow.Abstractions;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;
using static IntegrationTests.Shared.Conformance.NotificationWaits;

namespace IntegrationTests.Mongo;

/// <summary>A change stream as the server sees it, and over a server that fails.</summary>
[Trait("Category", "Integration")]
public sealed class MongoNotifierFaultTests : MongoTest
{
    private readonly Channel<int> _woken = Channel.CreateUnbounded<int>();
    private readonly MongoStore _store;
    private long _position;

    public MongoNotifierFaultTests() => _store = NewStore();

    public override async ValueTask DisposeAsync()
    {
        await _store.DisposeAsync();
        await base.DisposeAsync();
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
    public async Task Stream_asks_for_new_messages_and_waits_a_bounded_time()
    {
        await using var notifier = await ListenAsync();
        await UntilAsync(() => Server.Calls.Any(call => call.Name == "getMore"));

        var watch = Server.Calls.First(call => call.Name == "aggregate");
        Assert.Equal(("pending", "majority"), (watch.Collection, watch.ReadConcern));
        Assert.Equal("insert", watch.Command["pipeline"][1]["$match"]["operationType"]);
        Assert.Equal(TimeSpan.FromSeconds(0.1), Server.Calls.First(call => call.Name == "getMore").MaxTime);
    }

    [Fact]
    public async Task Broken_stream_continues_and_misses_nothing()
    {
        await using var notifier = await ListenAsync();
        await PutAsync(1);
        Assert.Equal([1], await TakeAsync(_woken, 1));
        var broken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Server.Before = call => call.Name is "getMore" or "aggregate" && broken.TrySetResult()
            ? throw new ConnectionCutException()
            : Task.CompletedTask;
        await broken.Task.WaitAsync(Patience, Cancel);
        await PutAsync(2);

        Assert.Equal([2], await TakeAsync(_woken, 1));
        Assert.Null(notifier.Trouble);
    }

    [Fact]
    public async Task Server_that_is_away_is_reported_and_then_every_lane_looks()
    {
        await _store.OpenAsync(Cancel);
        Server.Before = call => call.Name == "aggregate" ? throw new ConnectionCutException() : Task.CompletedTask;
        await using var notifier = Notifier();
        await notifier.ListenAsync(lane => _woken.Writer.TryWrite(lane), Cancel).WaitAsync(Patience, Cancel);

        Assert.NotNull(notifier.Trouble);
        Server.Calm();

        Assert.Equal([INotifier.EveryLane], await TakeAsync(_woken, 1));
        Assert.Null(notifier.Trouble);
    }

    [Fact]
    public async Task History_that_theServer_has_lost_makes_every_lane_look()
    {
        await using var notifier = await ListenAsync();
        await PutAsync(1);
        Assert.Equal([1], await TakeAsync(_woken, 1));
        Server.Documents.Changes.Oldest = Server.Documents.Changes.End + 1;
        await PutAsync(2, 3, 4);

        Assert.Equal([INotifier.EveryLane], await TakeAsync(_woken, 1));
        await PutAsync(5);
        Assert.Equal([5 % 4], await TakeAsync(_woken, 1));
    }

    [Fact]
    public async Task Wrong_password_is_reported_without_it()
    {
        await using var notifier = Notifier(account: "ann:hush@");
        await notifier.ListenAsync(_ => { }, Cancel).WaitAsync(Patience, Cancel);

        Assert.Contains("authenticate", notifier.Trouble, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", $"{notifier.Trouble} {notifier.Description}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Disposal_does_not_wait_for_a_look_that_is_under_way()
    {
        var looking = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Server.Before = call =>
        {
            if (call.Name != "getMore")
            {
                return Task.CompletedTask;
            }

            looking.TrySetResult();
            return Task.Delay(Timeout.Infinite, Cancel);
        };
        var notifier = await ListenAsync(awaitSeconds: 10);
        await looking.Task.WaitAsync(Patience, Cancel);

        // A look that does not come back would be given up after 20 s.
        await notifier.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(19), Cancel);
        notifier.Send(1);

        Assert.Equal(0, notifier.Counts.Sent);
        await Assert.ThrowsAsync<InvalidOperationException>(() => notifier.ListenAsync(_ => { }, Cancel));
    }

    private MongoNotifier Notifier(double awaitSeconds = 0.1, string account = "") => new(new()
    {
        ConnectionString = Server.ConnectionString("flows", account),
        Lanes = 4,
        AwaitTime = TimeSpan.FromSeconds(awaitSeconds),
    });

    private async Task<MongoNotifier> ListenAsync(double awaitSeconds = 0.1)
    {
        await _store.OpenAsync(Cancel);
        var notifier = Notifier(awaitSeconds);
        await notifier.ListenAsync(lane => _woken.Writer.TryWrite(lane), Cancel);
        return notifier;
    }

    /// <summary>Puts messages for those partitions, together.</summary>
    private Task PutAsync(params short[] partitions) => _store.Cluster.PutAsync(
        [.. partitions.Select(partition =>
            new InboxMessage(StoreRows.Message(Guid.CreateVersion7(), ++_position, partition)))],
        Cancel);
}
