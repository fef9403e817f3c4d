using LoadTesting.Core.Analysis.Findings;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.MongoDb;
using PerformanceTesting.Measurement;

namespace UnitTests.PerformanceTesting.Backends;

/// <summary>What is made of serverStatus and $currentOp, from replies in the manual's shape.</summary>
public sealed class MongoCollectorTests
{
    private static readonly (string Path, long By)[] Load =
    [
        ("uptimeMillis", 5_000), ("transactions|totalCommitted", 20), ("transactions|totalAborted", 2),
        ("metrics|document|inserted", 30),
        ("metrics|document|updated", 9),
        ("metrics|document|deleted", 1), ("wiredTiger|cache|pages requested from the cache", 700),
        ("wiredTiger|log|log bytes written", 8_000), ("wiredTiger|log|log sync operations", 15),
        ("opcounters|insert", 5), ("opcounters|query", 5), ("opcounters|update", 10), ("opcounters|getmore", 10),
        ("opcounters|command", 20),
        ("wiredTiger|log|log sync time duration (usecs)", 6_000), ("locks|Database|timeAcquiringMicros|r", 1_000),
        ("locks|Collection|timeAcquiringMicros|w", 1_000),
        ("wiredTiger|cache|application threads page read from disk to cache time (usecs)", 2_000),
    ];

    [Theory]
    [InlineData("serverStatus-7.0")]
    [InlineData("serverStatus-8.0")]
    public async Task Differences_are_per_operation_under_the_common_names(string reply)
    {
        var counters = await CollectAsync(Replies.Of(reply), Replies.Grown(Replies.Of(reply), Load));
        var result = counters.ToResult(completed: 10);

        Assert.Equal((2.0, 0.2, 4.0),
            (result.PerOperation["commits"], result.PerOperation["rollbacks"], result.PerOperation["rows"]));
        Assert.Equal((70.0, 800.0, 1.5, 5.0), (result.PerOperation["logicalReads"], result.PerOperation["walBytes"],
            result.PerOperation["walSyncs"], result.PerOperation["statements"]));
        Assert.Null(result.PerOperation["writeTransactions"]);
        Assert.Equal(
            [("journal sync", 0.6), ("lock", 0.2), ("cache read", 0.2)],
            result.Waits.Select(wait => (wait.Name, wait.Share!.Value)));
        Assert.Equal((126.0, 1.0, 3.0),
            (result.Raw["serverStatus.tickets.write.available"], result.Raw["serverStatus.tickets.read.out"],
            result.Raw["serverStatus.globalLock.currentQueue.total"]));
        Assert.Equal(2, result.Raw["collector.queries"] - result.Raw["collector.samples"]);
    }

    [Fact]
    public async Task Counter_that_this_version_lacks_is_absent_and_named()
    {
        var old = Replies.Of("serverStatus-8.0");
        var counters = await CollectAsync(old, Replies.Grown(old, Load));

        const string Moved = "serverStatus.wiredTiger.thread-yield.application thread time waiting for cache (usecs)";
        Assert.DoesNotContain(Moved, counters.Raw.Keys);
        Assert.Contains(counters.Notes, note => note == $"Null: not in this server's serverStatus: {Moved}.");
    }

    [Fact]
    public async Task Reply_without_a_journal_gives_no_bytes()
    {
        const string Small =
            """{ "pid": 1, "uptimeMillis": 1000, "opcounters": { "insert": 1, "query": 1, "update": 1, "delete": 1, "getmore": 1, "command": 1 }, "ok": 1 }""";
        var result =
            (await CollectAsync(Small, Replies.Grown(Small, ("opcounters|command", 6)))).ToResult(completed: 2);

        Assert.Equal(
            (null, null, 3.0),
            (result.PerOperation["walBytes"], result.PerOperation["commits"], result.PerOperation["statements"]));
        Assert.Contains(
            result.Notes, note => note.StartsWith("Null: not in this server's serverStatus:", StringComparison.Ordinal)
            && note.Contains("wiredTiger.log.log bytes written", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("uptimeMillis", -3_000_000)]
    [InlineData("pid", 1)]
    public async Task Restart_in_between_gives_a_note_and_no_numbers(string path, long by)
    {
        var counters = await CollectAsync(
            Replies.Of("serverStatus-7.0"), Replies.Grown(Replies.Of("serverStatus-7.0"), [.. Load[1..], (path, by)]));

        Assert.Empty(counters.Raw);
        Assert.Contains("restarted", Assert.Single(counters.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Server_that_went_away_gives_a_note_and_no_numbers()
    {
        var mongo = new ScriptedMongo();
        await using var server = await ConnectAsync(mongo);
        await using var collector = await MongoCollector.StartAsync(server, Cancel);
        mongo.Answers["serverStatus"] = () => throw new MongoRefusalException("connection reset");

        var counters = await collector.StopAsync(Cancel);

        Assert.Empty(counters.Raw);
        Assert.Contains("cannot be asked any more", Assert.Single(counters.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public void Operations_are_reported_by_their_wait()
    {
        var waits = MongoWaits.WaitsOf(JsonElement.Parse(Replies.Of("currentOp")));

        Assert.Equal(
            ["lock", "flow control", "latch:ReplicationCoordinatorImpl::_mutex", "queue:execution", "commit", "CPU",
                "CPU"], waits);
        Assert.Equal(
            [
                ResourceNames.Locks, ResourceNames.OtherWaits, ResourceNames.Locks, ResourceNames.OtherWaits,
                ResourceNames.WalFlush, null, null,
            ],
            waits.Select(MongoWaits.ResourceOf));
    }

    [Fact]
    public async Task Sessions_are_sampled_while_the_load_runs()
    {
        var sampled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var looks = 0;
        var mongo = new ScriptedMongo();
        mongo.Answers["aggregate"] = () =>
        {
            if (Interlocked.Increment(ref looks) == 3)
            {
                sampled.SetResult();
            }

            return Replies.Of("currentOp");
        };
        await using var server = await ConnectAsync(mongo);
        await using var collector = await MongoCollector.StartAsync(server, Cancel);
        await sampled.Task.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        var counters = await collector.StopAsync(Cancel);

        Assert.InRange(counters.Looks!.Count, 2, looks);
        Assert.All(
            counters.Looks,
            look => Assert.Equal((2L, 1L), (look.Waits["CPU"].Sessions, look.Waits["commit"].Sessions)));
        Assert.Equal(2 + looks, counters.Raw["collector.queries"]);
        Assert.All(mongo.CallsOf("aggregate"), call =>
            Assert.Equal(MongoWaits.ApplicationName,
                call.Command.GetProperty("pipeline")[1].GetProperty("$match").GetProperty("appName")
                .GetProperty("$ne").GetString()));
    }

    [Fact]
    public async Task Account_without_the_role_gets_counters_alone()
    {
        var refused = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var mongo = new ScriptedMongo();
        mongo.Answers["aggregate"] = () =>
        {
            refused.TrySetResult();
            throw new MongoRefusalException(
                "not authorized on admin to execute command", MongoRefusalException.Unauthorized);
        };
        await using var server = await ConnectAsync(mongo);
        await using var collector = await MongoCollector.StartAsync(server, Cancel);
        await refused.Task.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        var counters = await collector.StopAsync(Cancel);

        Assert.Null(counters.Looks);
        Assert.NotEmpty(counters.Raw);
        Assert.Contains(
            counters.Notes, note => note.StartsWith("No waits: sampling ended with", StringComparison.Ordinal)
            && note.Contains("clusterMonitor", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Ceilings_are_measured_with_majority_and_journal()
    {
        var mongo = new ScriptedMongo
            { Answers = { ["insert"] = () => """{ "n": 1, "ok": 1 }""", ["ping"] = () => """{ "ok": 1 }""" } };
        await using var server = await ConnectAsync(mongo);
        var ceilings = await new MongoCeilings(server, TimeSpan.Zero)
            .MeasureAsync(Cancel); // A machine may well have no time for more.

        Assert.True(ceilings
            is { CommitsPerSecond: > 0, ConcurrentCommitsPerSecond: > 0, ConcurrentClients: 16, RoundTripMs: >= 0,
                FsyncPerSecond: null });
        Assert.All(mongo.CallsOf("insert"), call =>
        {
            var concern = call.Command.GetProperty("writeConcern");
            Assert.Equal(
                ("majority", true), (concern.GetProperty("w").GetString(), concern.GetProperty("j").GetBoolean()));
        });
        Assert.Equal(
            mongo.CallsOf("insert").Select(call => call.Database).Distinct(),
            mongo.CallsOf("dropDatabase").Select(call => call.Database));
    }

    [Fact]
    public async Task Insert_without_a_majority_is_not_a_commit()
    {
        var mongo = new ScriptedMongo { Answers = { ["insert"] = () =>
            """{ "n": 1, "writeConcernError": { "code": 64, "errmsg": "waiting for replication timed out" }, "ok": 1 }""" } };
        await using var server = await ConnectAsync(mongo);
        var error = await Assert.ThrowsAsync<BackendException>(() =>
            new MongoCeilings(server, TimeSpan.FromMilliseconds(20)).MeasureAsync(Cancel));

        Assert.Contains("waiting for replication timed out", error.Message, StringComparison.Ordinal);
        Assert.Single(mongo.CallsOf("dropDatabase"));
    }

    private static async Task<CollectedCounters> CollectAsync(string before, string after)
    {
        var mongo = new ScriptedMongo();
        var replies = new Queue<string>([before, after]);
        await using var server = await ConnectAsync(mongo);
        mongo.Answers["serverStatus"] = replies.Dequeue;
        await using var collector = await MongoCollector.StartAsync(server, Cancel);
        return await collector.StopAsync(Cancel);
    }

    private static Task<MongoServer> ConnectAsync(ScriptedMongo mongo) =>
        MongoServer.ConnectAsync(mongo, "mongodb://127.0.0.1:27017", ServerKind.Mongo.Variable, Cancel);
}
