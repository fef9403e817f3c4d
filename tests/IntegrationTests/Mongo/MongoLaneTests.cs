using IntegrationTests.Mongo.Server;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;

namespace IntegrationTests.Mongo;

/// <summary>A flush as the server sees it, and the meaning of its failures.</summary>
[Trait("Category", "Integration")]
public sealed class MongoLaneTests : MongoTest, IAsyncLifetime
{
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(100);

    private readonly ManualTime _time = new();
    private MongoStore? _opened;

    private MongoStore Store => _opened ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync() => _opened = await OpenedStoreAsync(_time);

    public override async ValueTask DisposeAsync()
    {
        await Store.DisposeAsync();
        await base.DisposeAsync();
    }

    [Fact]
    public async Task Flush_is_one_transaction_from_the_fence_to_a_durable_commit()
    {
        await using var lane = await LoadedAsync();
        Server.Calls.Clear();

        await lane.FlushAsync(Everything(), Cancel);

        var calls = Server.Calls.ToArray();
        Assert.Equal(
        [
            "lanes", "instances", "pending", "tasks", "children", "dead_letters", "idempotency_keys", "events",
        ], calls[..^1].Select(c => c.Collection));
        Assert.Equal("commitTransaction", calls[^1].Name);
        Assert.Single(calls.Select(c => (c.Session, c.TransactionNumber)).Distinct());
        Assert.All(calls, call => Assert.True(call.IsInTransaction));
        Assert.Equal("snapshot", calls[0].ReadConcern);
        Assert.Equal(new() { { "w", "majority" }, { "wtimeout", 20_000 }, { "j", true } }, calls[^1].WriteConcern);
        Assert.All(calls[..^1], call => Assert.True(call.IsOrdered));
        Assert.Equal(TimeSpan.FromSeconds(20), calls[^1].MaxTime);
    }

    [Fact]
    public async Task Empty_batch_asks_for_the_fence_alone()
    {
        await using var lane = await LoadedAsync();
        Server.Calls.Clear();

        await lane.FlushAsync(StoreRows.Batch(1), Cancel);

        Assert.Equal(["lanes", null], Server.Calls.Select(c => c.Collection));
    }

    [Fact]
    public async Task Failed_guard_aborts_the_transaction_at_once()
    {
        await using var lane = await LoadedAsync();
        Server.Calls.Clear();
        var batch = Everything();
        batch.PendingRemoved.Add(Guid.NewGuid());

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(batch, Cancel));

        Assert.Equal(FlushFailure.Stale, error.Failure);
        Assert.Contains("0 of 1 pending could be removed", error.Message, StringComparison.Ordinal);
        Assert.Equal(["update", "insert", "delete", "insert", "abortTransaction"], Server.Calls.Select(c => c.Name));
        Assert.Equal(0, (await LoadAgainAsync()).LastBatch);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Last_batch_says_whether_a_commit_with_a_lost_answer_was_done(bool committed)
    {
        await using var lane = await LoadedAsync();
        Func<MongoCall, Task> breaks =
            call => call.Name == "commitTransaction" ? throw new ConnectionCutException() : Task.CompletedTask;
        (Server.Before, Server.After) = committed ? (Server.Before, (call, _) => breaks(call)) : (breaks, Server.After);

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel));

        Assert.Equal(FlushFailure.Unavailable, error.Failure);
        Assert.Single(Server.Calls, c => c is { Name: "insert", Collection: "events" });
        Server.Calm();
        Assert.Equal(committed ? 1 : 0, (await lane.ReadInstancesAsync(StoreRows.EveryPartition, Cancel)).Count);
        await lane.DisposeAsync();
        Assert.Equal(committed ? 1 : 0, (await LoadAgainAsync()).LastBatch);
    }

    [Theory]
    [InlineData("lanes")]
    [InlineData("events")]
    public async Task Connection_that_breaks_before_the_commit_leaves_nothing(string at)
    {
        await using var lane = await LoadedAsync();
        Server.Before = call => call.IsInTransaction && call.Collection == at
            ? throw new ConnectionCutException()
            : Task.CompletedTask;

        Assert.Equal(
            FlushFailure.Unavailable,
            (await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel))).Failure);

        Server.Calm();
        Assert.Equal(0, (await LoadAgainAsync()).LastBatch);
        Assert.Empty(await Store.ListInstancesAsync(new(), Cancel));
    }

    [Theory]
    [InlineData("lanes")]
    [InlineData("events")]
    [InlineData("commit")]
    public async Task Lane_can_be_taken_after_a_server_stops_answering_its_flush(string at)
    {
        var lane = await LoadedAsync();
        var hanging = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Server.Before = call =>
        {
            if (!call.IsInTransaction || (call.Collection ?? "commit") != at)
            {
                return Task.CompletedTask;
            }

            hanging.TrySetResult();
            return Never;
        };
        var flush = Task.Run(() => lane.FlushAsync(Everything(), Cancel), Cancel);
        await hanging.Task.WaitAsync(Eventually.Deadline, Cancel);
        var from = _time.GetUtcNow();
        await _time.AdvanceUntilAsync(flush, s_step);

        Assert.Equal(FlushFailure.Unavailable, (await Assert.ThrowsAsync<FlushException>(() => flush)).Failure);

        // The clock moves on while the call ends, and on a busy machine that takes a while.
        Assert.InRange(_time.GetUtcNow() - from, TimeSpan.FromSeconds(20), TimeSpan.FromMinutes(2));
        Assert.Equal(
            FlushFailure.Unavailable,
            (await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel))).Failure);
        Server.Calm();
        Assert.Equal(0, (await LoadAgainAsync()).LastBatch);
        await lane.DisposeAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Lane_closed_in_order_gives_up_its_session(bool wasRefused)
    {
        var lane = await LoadedAsync();
        await lane.FlushAsync(Everything(), Cancel);
        if (wasRefused)
        {
            await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel));
        }

        Assert.True(Server.Documents.Read("flows.lanes").Documents[0].Contains("session"));

        await lane.DisposeAsync();

        Assert.False(Server.Documents.Read("flows.lanes").Documents[0].Contains("session"));
    }

    [Fact]
    public async Task Closed_lane_leaves_sessions_that_may_have_open_transactions()
    {
        var former = await LoadedAsync();
        await using (var owner = await LoadedAsync())
        {
            await former.DisposeAsync();
            Assert.True(Server.Documents.Read("flows.lanes").Documents[0].Contains("session"));
            Server.Before = call =>
                call.Collection == "events" ? throw new ConnectionCutException() : Task.CompletedTask;
            await Assert.ThrowsAsync<FlushException>(() => owner.FlushAsync(Everything(), Cancel));
        }

        Assert.True(Server.Documents.Read("flows.lanes").Documents[0].Contains("session"));
    }

    [Fact]
    public async Task Owner_that_stops_within_a_flush_is_fenced_by_the_next_claim()
    {
        var serverTime = new ManualTime();
        Server.Time = serverTime;
        var (first, second) = (new NodeIdentity(Guid.NewGuid(), "first"), new NodeIdentity(Guid.NewGuid(), "second"));
        await Store.Cluster.JoinAsync(first, 1, TimeSpan.FromSeconds(60), Cancel);
        await Store.Cluster.JoinAsync(second, 1, TimeSpan.FromSeconds(60), Cancel);
        Assert.Equal([0], await Store.Cluster.ClaimAsync(first.Id, [0], TimeSpan.FromSeconds(3), Cancel));
        await using var former = await Store.OpenLaneAsync(new(0, 1) { Node = first.Id }, Cancel);
        await former.LoadAsync(Cancel);
        var (reached, goOn) = (new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously),
            new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        Server.Before = call =>
        {
            if (call.Collection != "events")
            {
                return Task.CompletedTask;
            }

            reached.TrySetResult();
            return goOn.Task;
        };
        var late = Task.Run(() => former.FlushAsync(Everything(), Cancel), Cancel);
        await reached.Task.WaitAsync(Eventually.Deadline, Cancel);

        // The flush holds the lane's document. No other node changes it during the lease.
        Assert.Empty(await Store.Cluster.ClaimAsync(second.Id, [0], TimeSpan.FromSeconds(3), Cancel));
        Assert.DoesNotContain(Server.Calls, c => c.Name == "killSessions");
        serverTime.Advance(TimeSpan.FromSeconds(4));
        Assert.Empty(await Store.Cluster.ClaimAsync(second.Id, [0], TimeSpan.FromSeconds(3), Cancel));
        Assert.Single(Server.Calls, c => c.Name == "killSessions");
        Assert.Equal([0], await Store.Cluster.ClaimAsync(second.Id, [0], TimeSpan.FromSeconds(3), Cancel));

        Server.Calm();
        goOn.SetResult();
        Assert.Equal(FlushFailure.Fenced, (await Assert.ThrowsAsync<FlushException>(() => late)).Failure);
        Assert.Empty(await Store.ListInstancesAsync(new(), Cancel));
        await using var owner = await Store.OpenLaneAsync(new(0, 1) { Node = second.Id }, Cancel);
        Assert.Equal(0, (await owner.LoadAsync(Cancel)).LastBatch);
        await owner.FlushAsync(Everything(), Cancel);
        Assert.Single(await Store.ListInstancesAsync(new(), Cancel));
    }

    [Fact]
    public async Task Document_held_by_another_transaction_is_a_conflict()
    {
        await using var lane = await LoadedAsync();
        var put = StoreRows.Message(Guid.NewGuid());
        await Store.Cluster.PutAsync([new(put)], Cancel);
        var batch = StoreRows.Batch(1);
        batch.PendingRemoved.Add(put.Id);
        var held = Server.Documents.Begin(Guid.NewGuid());
        Server.Documents.Write(held, "flows.pending", Id(put.Id), null);

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(batch, Cancel));

        Assert.Equal(FlushFailure.Conflict, error.Failure);
        Assert.Contains("112 WriteConflict", error.Message, StringComparison.Ordinal);
        Server.Documents.Abort(held);
        await lane.FlushAsync(batch, Cancel);
    }

    [Fact]
    public async Task Instance_that_is_or_grows_too_large_is_rejected_by_name()
    {
        await using var lane = await LoadedAsync();
        var row = StoreRows.Instance(Guid.NewGuid(), 1);
        var large = StoreRows.Batch(1);
        large.Instances.Add(StoreRows.New(row with { Body = new string('漢', 6 << 20) }));
        var refused = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(large, Cancel));
        Assert.Equal(FlushFailure.Rejected, refused.Failure);
        Assert.Contains(
            $"The instance {row.Id} would be larger than a MongoDB document may be",
            refused.Message,
            StringComparison.Ordinal);

        var first = StoreRows.Batch(1);
        first.Instances.Add(StoreRows.New(row with { History = new string('a', 9 << 20) }));
        await lane.FlushAsync(first, Cancel);
        var second = StoreRows.Batch(2);
        second.Instances.Add(StoreRows.Live(row with { Revision = 2, History = new string('b', 9 << 20) }));
        var grown = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(second, Cancel));
        Assert.Equal(FlushFailure.Rejected, grown.Failure);
        Assert.Contains($"The instance {row.Id} would be larger", grown.Message, StringComparison.Ordinal);
        Assert.Equal(1, Assert.Single(await lane.ReadInstancesAsync(StoreRows.EveryPartition, Cancel)).Revision);
    }

    [Theory]
    [InlineData(64, InstanceState.Waiting, "partition")]
    [InlineData(0, (InstanceState)6, "state")]
    public async Task Row_that_the_validator_refuses_is_rejected_by_name(
        short partition, InstanceState state, string member)
    {
        await using var lane = await LoadedAsync();
        var batch = Everything();
        var row = StoreRows.Instance(Guid.NewGuid(), 1, state) with { Partition = partition };
        batch.Instances.Add(StoreRows.New(row));

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(batch, Cancel));

        Assert.Equal(FlushFailure.Rejected, error.Failure);
        Assert.Contains($"instance {row.Id}: 121", error.Message, StringComparison.Ordinal);
        Assert.Contains(member, error.Message, StringComparison.Ordinal);
        Assert.Empty(await Store.ListInstancesAsync(new(), Cancel));
    }

    [Theory]
    [InlineData(112, "WriteConflict", MongoReplyException.Transient, FlushFailure.Conflict)]
    [InlineData(251, "NoSuchTransaction", MongoReplyException.Transient, FlushFailure.Conflict)]
    [InlineData(50, "MaxTimeMSExpired", MongoReplyException.UnknownCommit, FlushFailure.Unavailable)]
    [InlineData(189, "PrimarySteppedDown", MongoReplyException.UnknownCommit, FlushFailure.Unavailable)]
    [InlineData(14031, "OutOfDiskSpace", "", FlushFailure.Unavailable)]
    public async Task Error_of_a_commit_means(int code, string name, string label, FlushFailure expected)
    {
        await using var lane = await LoadedAsync();
        Server.Before = call =>
        {
            if (call.Name == "commitTransaction")
            {
                Server.Documents.Kill(call.Session!.Value);
                throw new MongoReplyException(code, name, "refused", label);
            }

            return Task.CompletedTask;
        };

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel));

        Assert.Equal(expected, error.Failure);
        Assert.Contains($"{code} {name}", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Commit_that_most_members_did_not_acknowledge_is_unavailable()
    {
        await using var lane = await LoadedAsync();
        Server.After = (call, reply) =>
        {
            if (call.Name == "commitTransaction")
            {
                reply.Add(
                    "writeConcernError",
                    new BsonDocument { { "code", 64 }, { "errmsg", "waiting for replication timed out" } });
            }

            return Task.CompletedTask;
        };

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel));

        Assert.Equal(FlushFailure.Unavailable, error.Failure);
        Assert.Contains("waiting for replication timed out", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Writes_of_one_kind_are_one_command_in_any_order_of_rows()
    {
        await using var lane = await LoadedAsync();
        InstanceRow[] known = [.. Enumerable.Range(0, 3).Select(_ => StoreRows.Instance(Guid.NewGuid(), 1))];
        await lane.FlushAsync(StoreRows.Batch(1, b => b.Instances.AddRange(known.Select(StoreRows.New))), Cancel);
        Server.Calls.Clear();

        var batch = StoreRows.Batch(2);
        foreach (var row in known)
        {
            batch.Instances.Add(StoreRows.New(StoreRows.Instance(Guid.NewGuid(), 1)));
            batch.Instances.Add(StoreRows.Live(row with { Revision = 2 }));
        }

        await lane.FlushAsync(batch, Cancel);

        Assert.Equal(
            [("update", "lanes"), ("insert", "instances"), ("update", "instances"), ("commitTransaction", null)],
            Server.Calls.Select(c => (c.Name, c.Collection)));
    }

    [Theory]
    [InlineData(2, "BadValue", FlushFailure.Rejected)]
    [InlineData(10334, "BSONObjectTooLarge", FlushFailure.Rejected)]
    [InlineData(13, "Unauthorized", FlushFailure.Unavailable)]
    [InlineData(91, "ShutdownInProgress", FlushFailure.Unavailable)]
    [InlineData(10107, "NotWritablePrimary", FlushFailure.Unavailable)]
    public async Task Error_of_a_statement_means(int code, string name, FlushFailure expected)
    {
        await using var lane = await LoadedAsync();
        Server.Before = call =>
            call.Collection == "events" ? throw new MongoReplyException(code, name, "refused") : Task.CompletedTask;

        Assert.Equal(
            expected, (await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel))).Failure);
    }

    [Fact]
    public async Task Document_that_the_driver_cannot_write_is_rejected()
    {
        await using var lane = await LoadedAsync();
        foreach (var body in new[] { "half of a pair: \ud83d", new string('x', 17 << 20) })
        {
            var batch = Everything();
            batch.Pending.Add(StoreRows.Signal(Guid.NewGuid()) with { Body = body });
            Assert.Equal(
                FlushFailure.Rejected,
                (await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(batch, Cancel))).Failure);
        }

        await lane.FlushAsync(Everything(), Cancel);
        Assert.Single(await Store.ListInstancesAsync(new(), Cancel));
    }

    private static Task Never { get; } = new TaskCompletionSource().Task;

    private async Task<ILaneStore> LoadedAsync()
    {
        var lane = await Store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        return lane;
    }

    /// <summary>Takes the lane as another process, regardless of what an earlier writer has left open.</summary>
    private async Task<LaneSnapshot> LoadAgainAsync()
    {
        await using var other = NewStore();
        await using var lane = await other.OpenLaneAsync(new(0, 1), Cancel);
        return await lane.LoadAsync(Cancel);
    }
}
