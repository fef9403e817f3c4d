using MongoDB.Bson;
using MongoDB.StandIn;
using Workflow.Stores.MongoDb;
using Workflow.Abstractions.Exceptions;

namespace FullFeed.Tests.MongoDb;

public sealed class MongoStoreTests
{
    [Fact]
    public async Task Server_without_a_replica_set_is_refused_with_the_way_to_make_one_and_nothing_is_created()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        server.IsReplicaSet = false;
        await using var store = new MongoStore(new() { ConnectionString = connectionString });

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.All(["no member of a replica set", "--replSet rs0", "rs.initiate()"], part =>
            Assert.Contains(part, error.Message, StringComparison.Ordinal));
        Assert.Empty(server.Collections("flows"));
    }

    [Fact]
    public async Task Server_that_is_too_old_is_refused_with_the_version_it_should_have()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        server.MaxWireVersion = 9;
        await using var store = new MongoStore(new() { ConnectionString = connectionString });

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains("wire version is 9; 13 (MongoDB 5.0) or newer", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wrong_password_is_reported_with_server_and_user_and_without_any_password()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        server.Password = "another";
        await using var store = new MongoStore(new() { ConnectionString = connectionString });

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.All([".test:27017", "database 'flows'", "user 'ann'", "authSource"], part =>
            Assert.Contains(part, error.Message, StringComparison.Ordinal));
        var options = new MongoStoreOptions { ConnectionString = connectionString };
        Assert.All([error.Message, store.Description, options.ToString()], text =>
            Assert.All(["s3cret", "another"], secret => Assert.DoesNotContain(secret, text, StringComparison.Ordinal)));
        Assert.False(error.OutcomeUnknown);
    }

    [Fact]
    public async Task Host_finds_the_store_by_its_adapter()
    {
        await using var store = new MongoAdapter().Create(new() { ConnectionString = "mongodb://a.test:1/flows" });

        Assert.Equal("MongoDB at a.test:1, database 'flows'", store.Description);
    }

    [Fact]
    public void Adapter_refuses_a_connection_string_of_another_scheme_without_repeating_it()
    {
        var adapter = new MongoAdapter();

        Assert.Equal("does not begin with mongodb:// or mongodb+srv://", adapter.WhyUnusable("Host=h;Password=s3cret"));
        Assert.Null(adapter.WhyUnusable(adapter.ExampleConnectionString!));
        Assert.Contains("names instead", adapter.WhyNoSchema, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Host=127.0.0.1;Password=s3cret", "cannot be read")]
    [InlineData("", "cannot be read")]
    [InlineData("http://ann:s3cret@127.0.0.1", "cannot be read")]
    [InlineData("mongodb://ann:s3cret@127.0.0.1/a.b", "'a.b' is not allowed")]
    public void Connection_string_that_is_none_is_refused_without_being_repeated(string text, string why)
    {
        var error = Assert.Throws<ArgumentException>(() => new MongoStore(new() { ConnectionString = text }));

        Assert.Contains(why, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("s3cret", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Database_that_is_not_named_is_workflow_and_several_servers_are_named()
    {
        await using var store = new MongoStore(new() { ConnectionString = "mongodb://a.test:1,b.test:2/?replicaSet=rs0" });

        Assert.Equal("MongoDB at a.test:1,b.test:2, database 'workflow'", store.Description);
    }

    [Theory]
    [InlineData("connect")]
    [InlineData("hello")]
    [InlineData("create")]
    [InlineData("find")]
    [InlineData("commitTransaction")]
    public async Task Server_that_does_not_answer_while_the_store_is_opened_is_reported_within_thirty_seconds(string at)
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        var time = new ManualTime();
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        server.Before = (call, _) =>
        {
            if (call.Name != at)
            {
                return Task.CompletedTask;
            }

            reached.TrySetResult();
            return new TaskCompletionSource().Task;
        };
        await using var store = new MongoStore(new() { ConnectionString = connectionString }, time);
        var open = Task.Run(() => store.OpenAsync(Cancel), Cancel);
        await reached.Task.WaitAsync(TimeSpan.FromSeconds(30), Cancel);

        await time.AdvanceUntilAsync(open, TimeSpan.FromSeconds(1));

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => open);
        Assert.Contains("No answer within", error.Message, StringComparison.Ordinal);
        Assert.Contains("rs.initiate()", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Newer_schema_is_refused()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        Assert.Null(server.TryWrite("flows.schema_versions", _ => (new BsonInt32(99), new BsonDocument("_id", 99))));

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains("version 99; this build knows up to", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Several_stores_open_an_empty_database_at_once_and_every_one_tries_a_durable_transaction()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        var stores = Enumerable.Range(0, 6).Select(_ => new MongoStore(new() { ConnectionString = connectionString })).ToArray();

        await Task.WhenAll(stores.Select(s => s.OpenAsync(Cancel)));

        Assert.Equal(6, server.Read("flows.schema_versions").Documents[new BsonInt32(6)]["opened"].ToInt64());
        Assert.All(
            server.Calls.Where(c => c.Name == "commitTransaction"),
            c => Assert.True(c.WriteConcern is { W: MongoDB.Driver.WriteConcern.WMode { Value: "majority" }, Journal: true }));
    }

    [Fact]
    public async Task Every_collection_that_is_used_was_created_when_the_store_was_opened_and_lists_have_their_indexes()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        var created = server.Collections("flows");
        var node = new NodeIdentity(Guid.NewGuid(), "a");
        await store.Cluster.JoinAsync(node, 1, TimeSpan.FromMinutes(1), Cancel);
        await store.Cluster.ClaimAsync(node.Id, [0], TimeSpan.FromMinutes(1), Cancel);
        await store.Cluster.RenewAsync(node.Id, TimeSpan.FromMinutes(1), Cancel);
        await using var lane = await store.OpenLaneAsync(new(0, 1) { Node = node.Id }, Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(MongoLaneTests.Everything(), Cancel);
        var often = StoreRows.Instance(Guid.NewGuid(), 8);
        await lane.FlushAsync(StoreRows.Batch(2, 1, b => b.Instances.Add(StoreRows.New(often))), Cancel);
        await lane.FlushAsync(StoreRows.Batch(3, 1, b => b.Instances.Add(StoreRows.Live(often with { Revision = 9 }))), Cancel);
        await store.Cluster.TakeRepliesAsync([Guid.NewGuid()], Cancel);
        await store.AddDefinitionAsync(new("order", 1, "hash", "{}", StoreRows.Now), Cancel);
        await store.TrimAsync(StoreRows.Trim(StoreRows.Now, StoreRows.Now, StoreRows.Now), Cancel);

        var used = server.Calls.Select(c => c.Collection).OfType<string>().Except(["signals", "subscriptions", "messages"])
            .Order(StringComparer.Ordinal);
        Assert.Equal(created.Keys.Order(StringComparer.Ordinal), used);
        Assert.Equal(
            ["by_assignee", "by_group", "by_state"], created["tasks"].Select(i => i["name"].AsString).Order(StringComparer.Ordinal));
        Assert.Equal(
            [
                ("by_key", """{"correlationKey": {"$gte": ""}}"""), ("live_by_partition", """{"state": {"$lte": 2}}"""),
                ("unsuccessful_by_state", """{"state": {"$gte": 4}}"""),
            ],
            created["instances"].Select(i => (i["name"].AsString, i["partialFilterExpression"].ToString())).Order());
        Assert.Equal("""{"kind": 2}""", Assert.Single(created["pending"])["partialFilterExpression"].ToString());
        Assert.Equal(["by_age", "open"], created["dead_letters"].Select(i => i["name"].AsString).Order(StringComparer.Ordinal));
        Assert.All(["children", "definitions", "instance_history", "idempotency_keys", "replies"], name => Assert.Single(created[name]));
        Assert.All(["lanes", "events", "leases"], name => Assert.Empty(created[name]));
    }

    [Fact]
    public async Task Signals_subscriptions_and_messages_of_the_version_before_become_pending_rows_once()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using (var before = new MongoStore(new() { ConnectionString = connectionString }))
        {
            await before.OpenAsync(Cancel);
        }

        var (signal, delayed, wait, message) = (Guid.NewGuid(), Guid.NewGuid(), Guid.NewGuid(), Guid.NewGuid());
        var instance = Guid.NewGuid();
        Write("signals", signal, new()
        {
            { "name", "go" }, { "correlationKey", "key \"ü\"\n" }, { "instanceId", BsonNull.Value }, { "payload", """{"n":1.50}""" },
            { "position", 3L }, { "acceptedMicros", 1L }, { "dueMicros", BsonNull.Value }, { "expiresMicros", 3_600_000_000L },
        });
        Write("signals", delayed, new()
        {
            { "name", "go" }, { "correlationKey", BsonNull.Value }, { "instanceId", Id(instance) }, { "payload", BsonNull.Value },
            { "position", 4L }, { "acceptedMicros", 0L }, { "dueMicros", 1_000_000L }, { "expiresMicros", 2_000_000L },
        });
        Write("subscriptions", wait, new()
        {
            { "name", "go" }, { "correlationKey", "b" }, { "instanceId", Id(instance) }, { "position", 2L },
        });
        Write("messages", message, new() { { "kind", "deliver" }, { "body", """{"WaitId":1}""" }, { "position", 1L } });
        Assert.All([4, 5, 6], version => Assert.Null(server.TryWrite("flows.schema_versions", _ => (new BsonInt32(version), null))));

        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);

        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        Assert.Equal(
        [
            new(message, 0, PendingKind.Message, 1, """{"deliver":{"WaitId":1}}"""),
            new(wait, 0, PendingKind.Subscription, 2, $$"""{"n":"go","y":"b","i":"{{instance}}"}"""),
            new(signal, 0, PendingKind.Signal, 3,
                """{"n":"go","y":"key \"ü\"\n","p":{"n":1.50},"a":"1970-01-01T00:00:00.000001+00:00","x":"1970-01-01T01:00:00+00:00"}"""),
            new(delayed, 0, PendingKind.Signal, 4,
                $$"""{"n":"go","i":"{{instance}}","a":"1970-01-01T00:00:00+00:00","d":"1970-01-01T00:00:01+00:00","x":"1970-01-01T00:00:02+00:00"}"""),
        ], (await lane.LoadAsync(Cancel)).Pending);
        Assert.DoesNotContain("signals", server.Collections("flows").Keys);

        void Write(string collection, Guid id, BsonDocument row) => Assert.Null(server.TryWrite(
            $"flows.{collection}", _ => (Id(id), row.Add("_id", Id(id)).Add("partition", 0))));

        static BsonValue Id(Guid id) => new BsonBinaryData(id, GuidRepresentation.Standard);
    }

    [Fact]
    public async Task Definitions_of_the_version_before_are_numbered_once_in_the_order_in_which_they_came()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using (var before = new MongoStore(new() { ConnectionString = connectionString }))
        {
            await before.OpenAsync(Cancel);
        }

        Assert.Null(server.TryWrite("flows.schema_versions", _ => (new BsonInt32(6), null)));
        foreach (var (name, version, micros) in new[] { ("b", 10, 5L), ("b", 9, 5L), ("a", 1, 5L), ("c", 1, 1L) })
        {
            var id = new BsonDocument { { "name", name }, { "version", version } };
            Assert.Null(server.TryWrite("flows.definitions", _ => (id, new()
            {
                { "_id", id }, { "contentHash", "hash" }, { "body", "{}" }, { "registeredMicros", micros },
            })));
        }

        var stores = Enumerable.Range(0, 3).Select(_ => new MongoStore(new() { ConnectionString = connectionString })).ToArray();
        await Task.WhenAll(stores.Select(s => s.OpenAsync(Cancel)));
        await stores[0].AddDefinitionAsync(new("new", 1, "hash", "{}", StoreRows.Now), Cancel);

        Assert.Equal(
            [("c", 1, 1L), ("a", 1, 2L), ("b", 9, 3L), ("b", 10, 4L), ("new", 1, 5L)],
            (await stores[1].LoadDefinitionsAsync(0, Cancel)).Select(d => (d.Name, d.Version, d.Number)));
    }

    [Fact]
    public async Task Retention_reads_events_by_key_up_to_the_first_young_one_and_everything_else_by_an_index_of_its_age()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var batch = StoreRows.Batch(1, 3);
        batch.PublishedSequence = 3;
        batch.Events.AddRange(
            [StoreRows.Event(1), StoreRows.Event(2) with { CreatedUtc = StoreRows.Now.AddHours(1) }, StoreRows.Event(3)]);
        await lane.FlushAsync(batch, Cancel);
        server.Calls.Clear();

        var instant = StoreRows.Now.AddSeconds(1);
        await store.TrimAsync(StoreRows.Trim(instant, instant, instant), Cancel);
        await store.TrimAsync(StoreRows.Trim(instant, instant, instant), Cancel);

        // A portion of them only where the first one is old.
        var finds = server.Calls.Where(c => c is { Name: "find", Collection: not "lanes" }).ToList();
        string[] others = ["idempotency_keys", "dead_letters", "replies"];
        Assert.Equal(["events", "events", .. others, "events", .. others], finds.Select(c => c.Collection));
        Assert.Equal([2L, 3L], (await store.ReadEventsAsync(0, 0, 10, Cancel)).Select(e => e.Sequence));
        Assert.All(finds, find =>
        {
            var indexed = server.Collections("flows")[find.Collection!].Select(i => i["key"].AsBsonDocument.GetElement(0).Name);
            Assert.Subset(indexed.Append("_id").ToHashSet(), BsonDocument.Parse(find.Detail).Names.ToHashSet());
        });
    }

    [Fact]
    public async Task Reads_see_only_what_most_members_have_and_end_by_themselves()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        server.Calls.Clear();

        await store.FindInstanceAsync(Guid.NewGuid(), Cancel);
        await store.ListTasksAsync(new() { Group = "a" }, Cancel);
        await store.ReadEventsAsync(0, 0, 10, Cancel);
        await store.Cluster.ReadInboxAsync([new(0, 1)], 10, Cancel);

        Assert.Equal(4, server.Calls.Count);
        Assert.All(server.Calls, call =>
        {
            Assert.Equal(MongoDB.Driver.ReadConcern.Majority, call.ReadConcern);
            Assert.Equal(TimeSpan.FromSeconds(15), call.MaxTime);
        });
    }

    [Fact]
    public async Task Lease_runs_by_the_clock_of_the_server_and_a_renewal_waits_for_no_flush_and_one_member()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        var clock = new ManualTime();
        server.Time = clock;
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        var node = new NodeIdentity(Guid.NewGuid(), "a");
        await store.Cluster.JoinAsync(node, 2, TimeSpan.FromSeconds(10), Cancel);
        await store.Cluster.ClaimAsync(node.Id, [0], TimeSpan.FromSeconds(10), Cancel);
        clock.Advance(TimeSpan.FromSeconds(4));
        var open = server.Begin(new("id", "a flush"));
        server.Write(open, "flows.lanes", new BsonInt32(0), null);
        server.Calls.Clear();

        var view = await store.Cluster.RenewAsync(node.Id, TimeSpan.FromSeconds(7), Cancel);

        Assert.Equal([TimeSpan.FromSeconds(7), TimeSpan.Zero], view.Lanes.Select(l => l.Left));
        Assert.Equal(clock.GetUtcNow() - TimeSpan.FromSeconds(4), view.Nodes.Single().StartedUtc);
        Assert.All(server.Calls.Where(c => c.Name == "bulkWrite"), c => Assert.Equal(MongoDB.Driver.WriteConcern.W1, c.WriteConcern));
        Assert.All(
            server.Calls.Where(c => c is { Name: "find", Collection: "leases" or "nodes" }),
            c => Assert.Equal(MongoDB.Driver.ReadConcern.Local, c.ReadConcern));
        clock.Advance(TimeSpan.FromSeconds(8));
        Assert.False((await store.Cluster.RenewAsync(Guid.NewGuid(), TimeSpan.FromSeconds(7), Cancel)).Nodes.Single().IsLive);
    }

    [Fact]
    public async Task Lanes_that_were_taken_before_the_server_went_away_are_reported()
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        var node = new NodeIdentity(Guid.NewGuid(), "a");
        await store.Cluster.JoinAsync(node, 3, TimeSpan.FromMinutes(1), Cancel);
        var commits = 0;
        server.Before = (call, _) => call.Name == "commitTransaction" && ++commits > 1
            ? throw FakeErrors.Network(FakeErrors.UnknownCommit)
            : Task.CompletedTask;

        Assert.Equal([0], await store.Cluster.ClaimAsync(node.Id, [0, 1, 2], TimeSpan.FromMinutes(1), Cancel));
        Assert.True((await Assert.ThrowsAsync<StoreUnavailableException>(() =>
            store.Cluster.ClaimAsync(node.Id, [1, 2], TimeSpan.FromMinutes(1), Cancel))).OutcomeUnknown);
    }
}
