using MongoDB.Bson;
using MongoDB.Driver;
using MongoDB.StandIn;
using Workflow.Abstractions.Exceptions;
using Workflow.Stores.MongoDb;

namespace FullFeed.Tests.MongoDb;

/// <summary>What is known of a write that failed, outside flushes.</summary>
public sealed class MongoOutcomeTests
{
    [Fact]
    public async Task Write_that_the_server_did_not_acknowledge_as_it_should_or_that_met_a_change_of_the_primary_may_have_been_done()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        var stepDown = new BsonDocument { { "ok", 0 }, { "code", 189 }, { "codeName", "PrimarySteppedDown" } };
        (Exception Error, bool IsUnknown)[] cases =
        [
            (FakeErrors.Network(), true),
            (new MongoNotPrimaryException(null, null, stepDown), true),
            (new MongoNodeIsRecoveringException(null, null, stepDown), true),
            (new MongoBulkWriteException<BsonDocument>(null, null, [], new(), []), true),
            (FakeErrors.Command(13, "Unauthorized", "not authorized"), false),
        ];
        foreach (var (error, isUnknown) in cases)
        {
            server.Before = (call, _) => call.Name == "bulkWrite" ? throw error : Task.CompletedTask;
            var thrown = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.Cluster.ReleaseAsync(Guid.NewGuid(), [0], Cancel));
            Assert.True(isUnknown == thrown.OutcomeUnknown, error.ToString());
        }
    }

    [Fact]
    public async Task Message_whose_put_was_cut_off_has_an_unknown_outcome_and_is_put_once_when_it_is_repeated()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        var row = StoreRows.Message(Guid.NewGuid());
        InboxMessage[] messages = [new(row, new("signal:a", "hash", row.Id, StoreRows.Now))];
        server.After =
            (call, _) => call.Name == "commitTransaction" ? throw FakeErrors.Network(FakeErrors.UnknownCommit) : Task.CompletedTask;

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.Cluster.PutAsync(messages, Cancel));
        Assert.True(error.OutcomeUnknown);
        server.After = (_, _) => Task.CompletedTask;
        Assert.Equal(messages[0].Key, Assert.Single(await store.Cluster.PutAsync(messages, Cancel)));

        Assert.Equal([row], await store.Cluster.ReadInboxAsync([new(0, 1)], 10, Cancel));
    }

    [Fact]
    public async Task Transaction_that_is_cut_off_with_its_abort_keeps_its_documents_from_nobody()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        var row = StoreRows.Message(Guid.NewGuid());
        InboxMessage[] messages = [new(row, new("signal:a", "hash", row.Id, StoreRows.Now))];
        server.Before = (call, _) => call is { Collection: "pending" } or { Name: "abortTransaction" }
            ? throw FakeErrors.Network(FakeErrors.Transient)
            : Task.CompletedTask;

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.Cluster.PutAsync(messages, Cancel));
        Assert.False(error.OutcomeUnknown);
        server.Before = (_, _) => Task.CompletedTask;

        await using var other = new MongoStore(new() { ConnectionString = connectionString });
        server.Calls.Clear();
        Assert.Single(await other.Cluster.PutAsync(messages, Cancel));
        Assert.Single(server.Calls, c => c.Name == "commitTransaction");
        Assert.Single(server.Calls, c => c.Collection == "pending");
    }

    [Fact]
    public async Task Call_that_conflicts_for_ever_ends_with_the_reason()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        var time = new ManualTime();
        await using var store = new MongoStore(new() { ConnectionString = connectionString }, time);
        await store.OpenAsync(Cancel);
        var row = StoreRows.Message(Guid.NewGuid());
        server.Write(server.Begin(new("id", "somebody")), "flows.pending", new BsonBinaryData(row.Id, GuidRepresentation.Standard), null);
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        server.Before = (_, _) =>
        {
            reached.TrySetResult();
            return Task.CompletedTask;
        };

        var put = Task.Run(() => store.Cluster.PutAsync([new(row)], Cancel), Cancel);
        await reached.Task.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        var from = time.GetUtcNow();
        await time.AdvanceUntilAsync(put, TimeSpan.FromMilliseconds(100));

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => put);
        Assert.Contains("112 WriteConflict", error.Message, StringComparison.Ordinal);
        Assert.False(error.OutcomeUnknown);
        Assert.InRange(time.GetUtcNow() - from, TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(30));
    }
}
