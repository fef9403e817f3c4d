using MongoDB.Driver;
using MongoDB.StandIn;
using Workflow.Stores.MongoDb;
using Workflow.Contracts.Instances;

namespace FullFeed.Tests.MongoDb;

/// <summary>A flush as the server sees it, and what its failures mean.</summary>
public sealed class MongoLaneTests : IAsyncLifetime
{
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(500);

    private readonly (string ConnectionString, FakeServer Server) _place = MongoStoreFixture.NewServer();
    private readonly ManualTime _time = new();
    private MongoStore? _opened;

    private FakeServer Server => _place.Server;

    private MongoStore Store => _opened ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync()
    {
        _opened = new(new() { ConnectionString = _place.ConnectionString }, _time);
        await _opened.OpenAsync(Cancel);
    }

    public ValueTask DisposeAsync() => Store.DisposeAsync();

    [Fact]
    public async Task Flush_is_one_transaction_that_begins_with_the_fence_and_ends_with_one_commit_of_most_members_journals()
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
        Assert.Single(calls.Select(c => c.Session).Distinct());
        Assert.All(calls, call =>
        {
            Assert.True(call.IsInTransaction);
            Assert.Equal(ReadConcern.Snapshot, call.ReadConcern);
            Assert.Equal(WriteConcern.WMajority.With(wTimeout: TimeSpan.FromSeconds(20), journal: true), call.WriteConcern);
        });
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
    public async Task Guard_that_fails_aborts_the_transaction_before_the_next_statement()
    {
        await using var lane = await LoadedAsync();
        Server.Calls.Clear();
        var batch = Everything();
        batch.PendingRemoved.Add(Guid.NewGuid());

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(batch, Cancel));

        Assert.Equal(FlushFailure.Stale, error.Failure);
        Assert.Contains("0 of 1 pending could be removed", error.Message, StringComparison.Ordinal);
        Assert.Equal(["bulkWrite", "bulkWrite", "bulkWrite", "abortTransaction"], Server.Calls.Select(c => c.Name));
        Assert.Equal(0, (await LoadAgainAsync()).LastBatch);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Commit_whose_answer_is_lost_has_an_unknown_outcome_and_the_number_of_the_last_batch_says(bool committed)
    {
        await using var lane = await LoadedAsync();
        Func<FakeCall, CancellationToken, Task> breaks = (call, _) => call.Name == "commitTransaction" && call.WriteConcern?.Journal == true
            ? throw FakeErrors.Network(FakeErrors.UnknownCommit)
            : Task.CompletedTask;
        (Server.Before, Server.After) = committed ? (Server.Before, breaks) : (breaks, Server.After);

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel));

        Assert.Equal(FlushFailure.Unavailable, error.Failure);
        Assert.Single(Server.Calls, c => c.Name == "bulkWrite" && c.Collection == "events");
        (Server.Before, Server.After) = (Pass, Pass);
        await lane.DisposeAsync();
        var snapshot = await LoadAgainAsync();
        Assert.Equal(committed ? (1, 1) : (0, 0), (snapshot.LastBatch, snapshot.Instances.Count));
    }

    [Theory]
    [InlineData("lanes")]
    [InlineData("events")]
    public async Task Connection_that_breaks_before_the_commit_leaves_nothing(string at)
    {
        await using var lane = await LoadedAsync();
        Server.Before = (call, _) => call.IsInTransaction && call.Collection == at
            ? throw FakeErrors.Network(FakeErrors.Transient)
            : Task.CompletedTask;

        Assert.Equal(
            FlushFailure.Unavailable, (await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel))).Failure);

        Server.Before = Pass;
        Assert.Equal(0, (await LoadAgainAsync()).LastBatch);
        Assert.Empty(await Store.ListInstancesAsync(new(), Cancel));
    }

    [Theory]
    [InlineData("lanes")]
    [InlineData("events")]
    [InlineData("commit")]
    public async Task Server_that_stops_answering_is_given_up_after_the_limit_and_the_lane_can_be_taken_at_once(string at)
    {
        var lane = await LoadedAsync();
        var hanging = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Server.Before = (call, _) =>
        {
            if (!call.IsInTransaction || (call.Collection ?? "commit") != at)
            {
                return Task.CompletedTask;
            }

            hanging.TrySetResult();
            return Never;
        };
        var flush = Task.Run(() => lane.FlushAsync(Everything(), Cancel), Cancel);
        await hanging.Task.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        var from = _time.GetUtcNow();
        await _time.AdvanceUntilAsync(flush, s_step);

        Assert.Equal(FlushFailure.Unavailable, (await Assert.ThrowsAsync<FlushException>(() => flush)).Failure);
        Assert.InRange(_time.GetUtcNow() - from, TimeSpan.FromSeconds(20), TimeSpan.FromSeconds(30));
        Assert.Equal(
            FlushFailure.Unavailable, (await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel))).Failure);
        Server.Before = Pass;
        Assert.Equal(0, (await LoadAgainAsync()).LastBatch);
        await lane.DisposeAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Session_of_a_lane_that_was_closed_in_order_is_nobodys_to_end(bool wasRefused)
    {
        var lane = await LoadedAsync();
        await lane.FlushAsync(Everything(), Cancel);
        if (wasRefused)
        {
            await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel));
        }

        Assert.True(Server.Read("flows.lanes").Documents[new MongoDB.Bson.BsonInt32(0)].Contains("session"));

        await lane.DisposeAsync();

        Assert.False(Server.Read("flows.lanes").Documents[new MongoDB.Bson.BsonInt32(0)].Contains("session"));
    }

    [Fact]
    public async Task Lane_that_is_closed_leaves_the_session_of_whoever_has_taken_it_since_and_of_a_flush_that_was_cut_off()
    {
        var former = await LoadedAsync();
        await using (var owner = await LoadedAsync())
        {
            await former.DisposeAsync();
            Assert.True(Server.Read("flows.lanes").Documents[new MongoDB.Bson.BsonInt32(0)].Contains("session"));
            Server.Before = (call, _) => call.Collection == "events" ? throw FakeErrors.Network(FakeErrors.Transient) : Task.CompletedTask;
            await Assert.ThrowsAsync<FlushException>(() => owner.FlushAsync(Everything(), Cancel));
        }

        Assert.True(Server.Read("flows.lanes").Documents[new MongoDB.Bson.BsonInt32(0)].Contains("session"));
    }

    [Fact]
    public async Task Owner_that_is_stopped_in_the_middle_of_a_flush_is_fenced_by_the_next_claim_and_nothing_of_the_flush_is_kept()
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
        Server.Before = (call, _) =>
        {
            if (call.Collection != "events")
            {
                return Task.CompletedTask;
            }

            reached.TrySetResult();
            return goOn.Task;
        };
        var late = Task.Run(() => former.FlushAsync(Everything(), Cancel), Cancel);
        await reached.Task.WaitAsync(TimeSpan.FromSeconds(30), Cancel);

        // The flush has the lane's document. While the lease lasts, nobody touches it.
        Assert.Empty(await Store.Cluster.ClaimAsync(second.Id, [0], TimeSpan.FromSeconds(3), Cancel));
        Assert.DoesNotContain(Server.Calls, c => c.Name == "killSessions");
        serverTime.Advance(TimeSpan.FromSeconds(4));
        Assert.Empty(await Store.Cluster.ClaimAsync(second.Id, [0], TimeSpan.FromSeconds(3), Cancel));
        Assert.Single(Server.Calls, c => c.Name == "killSessions");
        Assert.Equal([0], await Store.Cluster.ClaimAsync(second.Id, [0], TimeSpan.FromSeconds(3), Cancel));

        Server.Before = Pass;
        goOn.SetResult();
        Assert.Equal(FlushFailure.Fenced, (await Assert.ThrowsAsync<FlushException>(() => late)).Failure);
        Assert.Empty(await Store.ListInstancesAsync(new(), Cancel));
        await using var owner = await Store.OpenLaneAsync(new(0, 1) { Node = second.Id }, Cancel);
        Assert.Equal(0, (await owner.LoadAsync(Cancel)).LastBatch);
        await owner.FlushAsync(Everything(), Cancel);
        Assert.Single(await Store.ListInstancesAsync(new(), Cancel));
    }

    [Fact]
    public async Task Writer_whose_document_another_transaction_has_is_stale_and_not_fenced_while_its_epoch_stands()
    {
        await using var lane = await LoadedAsync();
        var put = StoreRows.Message(Guid.NewGuid());
        await Store.Cluster.PutAsync([new(put)], Cancel);
        var batch = StoreRows.Batch(1);
        batch.PendingRemoved.Add(put.Id);
        var held = Server.Begin(new("id", "another"));
        Server.Write(held, "flows.pending", DocumentId(put.Id), null);

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(batch, Cancel));

        Assert.Equal(FlushFailure.Conflict, error.Failure);
        Assert.Contains("112 WriteConflict", error.Message, StringComparison.Ordinal);
        Server.Abort(held);
        await lane.FlushAsync(batch, Cancel);
    }

    [Fact]
    public async Task Instance_that_is_too_large_is_rejected_by_its_name_whether_it_comes_so_or_grows_so()
    {
        await using var lane = await LoadedAsync();
        var row = StoreRows.Instance(Guid.NewGuid(), 1);
        var large = StoreRows.Batch(1);
        large.Instances.Add(StoreRows.New(row with { Body = new string('漢', 6 << 20) }));
        var refused = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(large, Cancel));
        Assert.Equal(FlushFailure.Rejected, refused.Failure);
        Assert.Contains($"The instance {row.Id} would be larger than a MongoDB document may be", refused.Message, StringComparison.Ordinal);

        var first = StoreRows.Batch(1);
        first.Instances.Add(StoreRows.New(row with { History = new string('a', 9 << 20) }));
        await lane.FlushAsync(first, Cancel);
        var second = StoreRows.Batch(2);
        second.Instances.Add(StoreRows.Live(row with { Revision = 2, History = new string('b', 9 << 20) }));
        var grown = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(second, Cancel));
        Assert.Equal(FlushFailure.Rejected, grown.Failure);
        Assert.Contains($"The instance {row.Id} would be larger", grown.Message, StringComparison.Ordinal);
        Assert.Equal(1, (await LoadAgainAsync()).Instances.Single().Revision);
    }

    [Theory]
    [InlineData(64, InstanceState.Waiting, "partition")]
    [InlineData(0, (InstanceState)6, "state")]
    public async Task What_the_validator_refuses_is_rejected_by_the_name_of_its_instance(
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
    [InlineData(112, "WriteConflict", FakeErrors.Transient, FlushFailure.Conflict)]
    [InlineData(251, "NoSuchTransaction", FakeErrors.Transient, FlushFailure.Conflict)]
    [InlineData(64, "WriteConcernFailed", FakeErrors.UnknownCommit, FlushFailure.Unavailable)]
    [InlineData(50, "MaxTimeMSExpired", FakeErrors.UnknownCommit, FlushFailure.Unavailable)]
    [InlineData(189, "PrimarySteppedDown", FakeErrors.UnknownCommit, FlushFailure.Unavailable)]
    [InlineData(14031, "OutOfDiskSpace", "", FlushFailure.Unavailable)]
    public async Task Error_of_a_commit_means(int code, string name, string label, FlushFailure expected)
    {
        await using var lane = await LoadedAsync();
        Server.Before =
            (call, _) => call.Name == "commitTransaction" ? throw FakeErrors.Command(code, name, "refused", label) : Task.CompletedTask;

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel));

        Assert.Equal(expected, error.Failure);
        Assert.Contains($"{code} {name}", error.Message, StringComparison.Ordinal);
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
        Server.Before = (call, _) => call.Collection == "events" ? throw FakeErrors.Command(code, name, "refused") : Task.CompletedTask;

        Assert.Equal(expected, (await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel))).Failure);
    }

    [Fact]
    public async Task Document_that_the_driver_cannot_write_is_rejected_however_the_driver_says_so()
    {
        await using var lane = await LoadedAsync();
        foreach (var error in new Exception[]
        {
            new FormatException("Size 20000000 is larger than MaxDocumentSize 16777216."),
            new MongoConnectionException(null, "sending", new System.Text.EncoderFallbackException()),
        })
        {
            Server.Before = (call, _) => call.Collection == "pending" ? throw error : Task.CompletedTask;
            Assert.Equal(
                FlushFailure.Rejected, (await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(Everything(), Cancel))).Failure);
        }

        Server.Before = Pass;
        await lane.FlushAsync(Everything(), Cancel);
        Assert.Single(await Store.ListInstancesAsync(new(), Cancel));
    }

    private static Task Never { get; } = new TaskCompletionSource().Task;

    private static Func<FakeCall, CancellationToken, Task> Pass => (_, _) => Task.CompletedTask;

    private static MongoDB.Bson.BsonValue DocumentId(Guid id) =>
        new MongoDB.Bson.BsonBinaryData(id, MongoDB.Bson.GuidRepresentation.Standard);

    /// <summary>A first batch with something for every collection that needs nothing before it.</summary>
    internal static FlushBatch Everything()
    {
        var batch = StoreRows.Batch(1, 1);
        var instance = StoreRows.Instance(Guid.NewGuid(), 1);
        batch.Instances.Add(StoreRows.New(instance));
        batch.Pending.Add(StoreRows.Signal(Guid.NewGuid()));
        batch.Pending.Add(StoreRows.Message(Guid.NewGuid()));
        batch.Tasks.Add(StoreRows.Task(Guid.NewGuid(), instance.Id));
        batch.Children.Add(new(instance.Id, Guid.NewGuid()));
        batch.DeadLetters.Add(StoreRows.Letter(Guid.NewGuid(), instance.Id));
        batch.Keys.Add(new("start:a", "hash", instance.Id, StoreRows.Now));
        batch.Events.Add(StoreRows.Event(1));
        return batch;
    }

    private async Task<ILaneStore> LoadedAsync()
    {
        var lane = await Store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        return lane;
    }

    /// <summary>Takes the lane, whatever an earlier writer has left open.</summary>
    private async Task<LaneSnapshot> LoadAgainAsync()
    {
        await using var lane = await Store.OpenLaneAsync(new(0, 1), Cancel);
        var load = Task.Run(() => lane.LoadAsync(Cancel), Cancel);
        await _time.AdvanceUntilAsync(load, s_step);
        return await load;
    }
}
