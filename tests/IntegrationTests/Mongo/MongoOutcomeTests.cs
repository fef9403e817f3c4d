using IntegrationTests.Mongo.Server;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;

namespace IntegrationTests.Mongo;

/// <summary>The outcome of a failed write outside flushes.</summary>
[Trait("Category", "Integration")]
public sealed class MongoOutcomeTests : MongoTest
{
    [Fact]
    public async Task Write_without_a_full_acknowledgement_has_an_unknown_outcome()
    {
        await using var store = await OpenedStoreAsync();
        (Exception? Error, bool IsUnknown)[] cases =
        [
            (new ConnectionCutException(), true),
            (new MongoReplyException(10107, "NotWritablePrimary", "not primary"), true),
            (new MongoReplyException(189, "PrimarySteppedDown", "stepped down"), true),
            (null, true),
            (new MongoReplyException(13, "Unauthorized", "not authorized"), false),
        ];
        foreach (var (error, isUnknown) in cases)
        {
            Server.Before = call => call.Name == "update" && error is not null ? throw error : Task.CompletedTask;
            Server.After = (call, reply) =>
            {
                var concern = new BsonDocument { { "code", 64 }, { "errmsg", "waiting for replication timed out" } };
                reply.Add("writeConcernError", concern, call.Name == "update");
                return Task.CompletedTask;
            };
            var thrown = await Assert.ThrowsAsync<StoreUnavailableException>(
                () => store.Cluster.ReleaseAsync(Guid.NewGuid(), [0], Cancel));
            Server.Calm();
            Assert.True(isUnknown == thrown.OutcomeUnknown, thrown.ToString());
        }
    }

    [Fact]
    public async Task Message_whose_put_is_cut_off_is_put_once_when_repeated()
    {
        await using var store = await OpenedStoreAsync();
        var row = StoreRows.Message(Guid.NewGuid());
        InboxMessage[] messages = [new(row, new("signal:a", "hash", row.Id, StoreRows.Now))];
        Server.After = (call, _) =>
            call.Name == "commitTransaction" ? throw new ConnectionCutException() : Task.CompletedTask;

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.Cluster.PutAsync(messages, Cancel));
        Assert.True(error.OutcomeUnknown);
        Server.Calm();
        Assert.Equal(messages[0].Key, Assert.Single(await store.Cluster.PutAsync(messages, Cancel)));

        Assert.Equal([row], await store.Cluster.ReadInboxAsync([new(0, 1)], 10, Cancel));
    }

    [Fact]
    public async Task Transaction_cut_off_with_its_abort_keeps_no_document()
    {
        await using var store = await OpenedStoreAsync();
        var row = StoreRows.Message(Guid.NewGuid());
        InboxMessage[] messages = [new(row, new("signal:a", "hash", row.Id, StoreRows.Now))];
        Server.Before = call => call is { Collection: "pending" } or { Name: "abortTransaction" }
            ? throw new ConnectionCutException()
            : Task.CompletedTask;

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.Cluster.PutAsync(messages, Cancel));
        Assert.False(error.OutcomeUnknown);
        Server.Calm();

        await using var other = NewStore();
        Server.Calls.Clear();
        Assert.Single(await other.Cluster.PutAsync(messages, Cancel));
        Assert.Single(Server.Calls, c => c.Name == "commitTransaction");
        Assert.Single(Server.Calls, c => c.Collection == "pending");
    }

    [Fact]
    public async Task Call_that_conflicts_for_ever_ends_with_the_reason()
    {
        var time = new ManualTime();
        await using var store = await OpenedStoreAsync(time);
        var row = StoreRows.Message(Guid.NewGuid());
        Server.Documents.Write(Server.Documents.Begin(Guid.NewGuid()), "flows.pending", Id(row.Id), null);
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Server.Before = _ =>
        {
            reached.TrySetResult();
            return Task.CompletedTask;
        };

        var put = Task.Run(() => store.Cluster.PutAsync([new(row)], Cancel), Cancel);
        await reached.Task.WaitAsync(Eventually.Deadline, Cancel);
        var from = time.GetUtcNow();
        await time.AdvanceUntilAsync(put, TimeSpan.FromMilliseconds(25));

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => put);
        Assert.Contains("112 WriteConflict", error.Message, StringComparison.Ordinal);
        Assert.False(error.OutcomeUnknown);

        // The clock moves on while the call ends, and on a busy machine that takes a while.
        Assert.InRange(time.GetUtcNow() - from, TimeSpan.FromSeconds(10), TimeSpan.FromMinutes(2));
    }
}
