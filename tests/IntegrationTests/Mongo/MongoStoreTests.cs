using IntegrationTests.Mongo.Server;
using MongoDB.Driver;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;

namespace IntegrationTests.Mongo;

/// <summary>The store and its schema as a server sees them.</summary>
[Trait("Category", "Integration")]
public sealed class MongoStoreTests : MongoTest
{
    [Fact]
    public async Task Server_without_a_replica_set_is_refused_with_the_remedy()
    {
        Server.IsReplicaSet = false;
        await using var store = NewStore();

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.All(["no member of a replica set", "--replSet rs0", "rs.initiate()"], part =>
            Assert.Contains(part, error.Message, StringComparison.Ordinal));
        Assert.Empty(Server.Documents.Collections("flows"));
    }

    [Fact]
    public async Task Server_that_is_too_old_is_refused_with_the_needed_version()
    {
        Server.MaxWireVersion = 9;
        await using var store = NewStore();

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains("wire version is 9; 13 (MongoDB 5.0) or newer", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wrong_password_is_reported_with_server_and_user_only()
    {
        await using var store = NewStore(account: "ann:s3cret@");

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.All([Server.Address, "database 'flows'", "user 'ann'", "authSource"], part =>
            Assert.Contains(part, error.Message, StringComparison.Ordinal));
        var options = new MongoStoreOptions { ConnectionString = "mongodb://ann:s3cret@a.test:1" };
        Assert.All([error.Message, store.Description, options.ToString()], text =>
            Assert.DoesNotContain("s3cret", text, StringComparison.Ordinal));
        Assert.False(error.OutcomeUnknown);
    }

    [Fact]
    public async Task Host_finds_the_store_by_its_adapter()
    {
        await using var store = new MongoAdapter().Create(new() { ConnectionString = "mongodb://a.test:1/flows" });

        Assert.Equal("MongoDB at a.test:1, database 'flows'", store.Description);
    }

    [Fact]
    public void Adapter_refuses_another_scheme_without_repeating_the_string()
    {
        var adapter = new MongoAdapter();

        Assert.Equal(
            "does not begin with mongodb:// or mongodb+srv://",
            adapter.FindConnectionProblem("Host=h;Password=s3cret"));
        Assert.Null(adapter.FindConnectionProblem(adapter.ExampleConnectionString!));
        Assert.Contains("names instead", adapter.SchemaUnsupportedReason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Host=127.0.0.1;Password=s3cret", "cannot be read")]
    [InlineData("", "cannot be read")]
    [InlineData("http://ann:s3cret@127.0.0.1", "cannot be read")]
    [InlineData("mongodb://ann:s3cret@127.0.0.1/a.b", "'a.b' is not allowed")]
    public void Unreadable_connection_string_is_not_repeated(string text, string why)
    {
        var error = Assert.Throws<ArgumentException>(() => new MongoStore(new() { ConnectionString = text }));

        Assert.Contains(why, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("s3cret", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Default_database_is_workflow()
    {
        await using var store = new MongoStore(
            new() { ConnectionString = "mongodb://a.test:1,b.test:2/?replicaSet=rs0" });

        Assert.Equal("MongoDB at a.test:1,b.test:2, database 'workflow'", store.Description);
    }

    [Theory]
    [InlineData("connect")]
    [InlineData("hello")]
    [InlineData("create")]
    [InlineData("find")]
    [InlineData("commitTransaction")]
    public async Task Server_that_does_not_answer_an_opening_store_is_reported(string at)
    {
        var time = new ManualTime();
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Server.Before = call =>
        {
            if (call.Name != at)
            {
                return Task.CompletedTask;
            }

            reached.TrySetResult();
            return new TaskCompletionSource().Task;
        };
        await using var store = NewStore(time);
        var open = Task.Run(() => store.OpenAsync(Cancel), Cancel);
        await reached.Task.WaitAsync(Eventually.Deadline, Cancel);

        await time.AdvanceUntilAsync(open, TimeSpan.FromSeconds(1));

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => open);
        Assert.Contains("No answer within", error.Message, StringComparison.Ordinal);
        Assert.Contains("rs.initiate()", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Schema_of_a_prerelease_build_is_refused()
    {
        Server.Documents.Create("flows.schema_versions", validator: null);
        await using var store = NewStore();

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains("before the first release", error.Message, StringComparison.Ordinal);
        Assert.Equal(["schema_versions"], Server.Documents.Collections("flows").Keys);
    }

    [Fact]
    public async Task Newer_schema_is_refused()
    {
        await using var store = await OpenedStoreAsync();
        Server.Documents.Put("flows.workflow_schema", 99, new("_id", 99));

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains("version 99; this build knows up to", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Stores_that_open_at_once_each_try_a_durable_transaction()
    {
        var stores = Enumerable.Range(0, 6).Select(_ => NewStore()).ToArray();

        await Task.WhenAll(stores.Select(s => s.OpenAsync(Cancel)));

        var newest = Server.Documents.Read("flows.workflow_schema").Documents.Last().Value;
        Assert.Equal(6, newest["opened"].ToInt64());
        Assert.All(
            Server.Calls.Where(c => c.Name == "commitTransaction"),
            c => Assert.Equal(new() { { "w", "majority" }, { "wtimeout", 20_000 }, { "j", true } }, c.WriteConcern));
    }

    [Fact]
    public async Task Build_before_dormant_instances_works_until_a_lane_has_one()
    {
        await using var store = await OpenedStoreAsync();
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var id = Guid.CreateVersion7(StoreRows.Now);
        await lane.FlushAsync(StoreRows.Batch(1, 0, StoreRows.New(StoreRows.Instance(id, 1))), Cancel);
        using var client = new MongoClient(Server.ConnectionString("flows"));
        var lanes = client.GetDatabase("flows").GetCollection<BsonDocument>("lanes");
        await FlushAsEarlierAsync(2);

        var moves = StoreRows.Batch(3, b => b.Dormant.Add(new(id, 1, null, [])));
        moves.DormantInstances = 1;
        await lane.FlushAsync(moves, Cancel);

        var refusal = await Assert.ThrowsAsync<MongoWriteException>(() => FlushAsEarlierAsync(4));
        Assert.Equal(MongoReplyException.Validation, refusal.WriteError.Code);
        Assert.Equal(1, (await lane.LoadAsync(Cancel)).DormantInstances);

        Task FlushAsEarlierAsync(long number) => lanes.UpdateOneAsync(
            new BsonDocument("_id", 0), new BsonDocument("$set", new BsonDocument("lastBatch", number)),
            cancellationToken: Cancel);
    }

    [Fact]
    public async Task Opening_creates_every_collection_and_the_indexes_of_lists()
    {
        await using var store = await OpenedStoreAsync();
        var created = Server.Documents.Collections("flows");
        var node = new NodeIdentity(Guid.NewGuid(), "a");
        await store.Cluster.JoinAsync(node, 1, TimeSpan.FromMinutes(1), Cancel);
        await store.Cluster.ClaimAsync(node.Id, [0], TimeSpan.FromMinutes(1), Cancel);
        await store.Cluster.RenewAsync(node.Id, TimeSpan.FromMinutes(1), Cancel);
        await using var lane = await store.OpenLaneAsync(new(0, 1) { Node = node.Id }, Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(Everything(), Cancel);
        var often = StoreRows.Instance(Guid.NewGuid(), 8);
        await lane.FlushAsync(StoreRows.Batch(2, 1, b => b.Instances.Add(StoreRows.New(often))), Cancel);
        await lane.FlushAsync(
            StoreRows.Batch(3, 1, b => b.Instances.Add(StoreRows.Live(often with { Revision = 9 }))), Cancel);
        await store.Cluster.TakeRepliesAsync([Guid.NewGuid()], Cancel);
        await store.AddDefinitionAsync(new("order", 1, "hash", "{}", StoreRows.Now), Cancel);
        await store.TrimAsync(StoreRows.Trim(StoreRows.Now, StoreRows.Now, StoreRows.Now), Cancel);

        var used = Server.Calls.Select(c => c.Collection).OfType<string>().Distinct()
            .Order(StringComparer.Ordinal);
        Assert.Equal(created.Keys.Order(StringComparer.Ordinal), used);
        Assert.Equal(
            ["by_assignee", "by_group", "by_state"],
            created["tasks"].Select(i => i["name"].AsString).Order(StringComparer.Ordinal));
        Assert.Equal(
            [
                ("by_key", """{ "correlationKey" : { "$gte" : "" } }"""),
                ("dormant_by_due", """{ "dueMicros" : { "$exists" : true } }"""),
                ("dormant_by_partition", """{ "dormantPartition" : { "$exists" : true } }"""),
                ("live_by_partition", """{ "state" : { "$lte" : 2 } }"""),
                ("unsuccessful_by_state", """{ "state" : { "$gte" : 4 } }"""),
            ],
            created["instances"].Select(i => (i["name"].AsString, i["partialFilterExpression"].ToString())).Order());
        Assert.Equal("""{ "kind" : 2 }""", Assert.Single(created["pending"])["partialFilterExpression"].ToString());
        Assert.Equal(
            ["by_age", "open"], created["dead_letters"].Select(i => i["name"].AsString).Order(StringComparer.Ordinal));
        Assert.All(
            ["children", "definitions", "dormant_waits", "instance_history", "idempotency_keys", "replies"],
            name => Assert.Single(created[name]));
        Assert.All(["lanes", "events", "leases"], name => Assert.Empty(created[name]));
    }

    [Fact]
    public async Task Retention_reads_events_by_key_and_other_rows_by_index()
    {
        await using var store = await OpenedStoreAsync();
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var batch = StoreRows.Batch(1, 3);
        batch.PublishedSequence = 3;
        batch.Events.AddRange(
            [
                StoreRows.Event(1),
                StoreRows.Event(2) with { CreatedUtc = StoreRows.Now.AddHours(1) },
                StoreRows.Event(3),
            ]);
        await lane.FlushAsync(batch, Cancel);
        Server.Calls.Clear();

        var instant = StoreRows.Now.AddSeconds(1);
        await store.TrimAsync(StoreRows.Trim(instant, instant, instant), Cancel);
        await store.TrimAsync(StoreRows.Trim(instant, instant, instant), Cancel);

        // A portion of them only where the first one is old.
        var finds = Server.Calls.Where(c => c is { Name: "find", Collection: not "lanes" }).ToList();
        string[] others = ["idempotency_keys", "dead_letters", "replies"];
        Assert.Equal(["events", "events", .. others, "events", .. others], finds.Select(c => c.Collection));
        Assert.Equal([2L, 3L], (await store.ReadEventsAsync(0, 0, 10, Cancel)).Select(e => e.Sequence));
        Assert.All(finds, find =>
        {
            var indexed = Server.Documents.Collections("flows")[find.Collection!].Select(
                i => i["key"].AsBsonDocument.GetElement(0).Name);
            Assert.Subset(indexed.Append("_id").ToHashSet(), find.Command["filter"].AsBsonDocument.Names.ToHashSet());
        });
    }

    [Fact]
    public async Task Reads_have_majority_concern_and_a_time_limit()
    {
        await using var store = await OpenedStoreAsync();
        Server.Calls.Clear();

        await store.FindInstanceAsync(Guid.NewGuid(), Cancel);
        await store.ListTasksAsync(new() { Group = "a" }, Cancel);
        await store.ReadEventsAsync(0, 0, 10, Cancel);
        await store.Cluster.ReadInboxAsync([new(0, 1)], 10, Cancel);

        Assert.Equal(4, Server.Calls.Count);
        Assert.All(Server.Calls, call =>
        {
            Assert.Equal("majority", call.ReadConcern);
            Assert.Equal(TimeSpan.FromSeconds(15), call.MaxTime);
        });
    }

    [Fact]
    public async Task Lease_renewal_waits_for_no_flush()
    {
        var clock = new ManualTime();
        Server.Time = clock;
        await using var store = await OpenedStoreAsync();
        var node = new NodeIdentity(Guid.NewGuid(), "a");
        await store.Cluster.JoinAsync(node, 2, TimeSpan.FromSeconds(10), Cancel);
        await store.Cluster.ClaimAsync(node.Id, [0], TimeSpan.FromSeconds(10), Cancel);
        clock.Advance(TimeSpan.FromSeconds(4));
        var open = Server.Documents.Begin(Guid.NewGuid());
        Server.Documents.Write(open, "flows.lanes", new BsonInt32(0), null);
        Server.Calls.Clear();

        var view = await store.Cluster.RenewAsync(node.Id, TimeSpan.FromSeconds(7), Cancel);

        Assert.Equal([TimeSpan.FromSeconds(7), TimeSpan.Zero], view.Lanes.Select(l => l.Left));
        Assert.Equal(clock.GetUtcNow() - TimeSpan.FromSeconds(4), view.Nodes.Single().StartedUtc);
        Assert.All(Server.Calls.Where(c => c.Name == "update"), c => Assert.Equal(new("w", 1), c.WriteConcern));
        Assert.All(
            Server.Calls.Where(c => c is { Name: "find", Collection: "leases" or "nodes" }),
            c => Assert.Equal("local", c.ReadConcern));
        clock.Advance(TimeSpan.FromSeconds(8));
        Assert.False(
            (await store.Cluster.RenewAsync(Guid.NewGuid(), TimeSpan.FromSeconds(7), Cancel)).Nodes.Single().IsLive);
    }

    [Fact]
    public async Task Lanes_taken_before_the_server_went_away_are_reported()
    {
        await using var store = await OpenedStoreAsync();
        var node = new NodeIdentity(Guid.NewGuid(), "a");
        await store.Cluster.JoinAsync(node, 3, TimeSpan.FromMinutes(1), Cancel);
        var commits = 0;
        Server.Before = call => call.Name == "commitTransaction" && ++commits > 1
            ? throw new ConnectionCutException()
            : Task.CompletedTask;

        Assert.Equal([0], await store.Cluster.ClaimAsync(node.Id, [0, 1, 2], TimeSpan.FromMinutes(1), Cancel));
        Assert.True((await Assert.ThrowsAsync<StoreUnavailableException>(() =>
            store.Cluster.ClaimAsync(node.Id, [1, 2], TimeSpan.FromMinutes(1), Cancel))).OutcomeUnknown);
    }
}
