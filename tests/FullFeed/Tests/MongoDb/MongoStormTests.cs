using MongoDB.Bson;
using MongoDB.StandIn;
using Workflow.Engine.Configuration;
using Workflow.Stores.MongoDb;
using Workflow.Contracts.Events;
using Workflow.Engine;
using Samples = IntegrationTests.Shared.Conformance.Definitions;

namespace FullFeed.Tests.MongoDb;

/// <summary>
/// Engines over a server whose connections break at any statement and any commit, before or after its effect, and whose transactions
/// conflict.
/// </summary>
public sealed class MongoStormTests
{
    private const int Count = 100;

    private readonly Lock _gate = new();
    private int _broken;

    [Theory]
    [InlineData(1, 1)]
    [InlineData(3, 1)]
    [InlineData(4, 2)]
    public async Task Connections_that_break_anywhere_cost_repetition_and_nothing_else(int lanes, int nodes)
    {
        var (connectionString, server) = MongoStoreFixture.NewServer();
        var engines = new List<EngineSession>();
        try
        {
            for (var i = 0; i < nodes; i++)
            {
                var cluster = new ClusterOptions { NodeName = $"node {i}", Lease = TimeSpan.FromSeconds(
                    20), RenewalInterval = TimeSpan.FromMilliseconds(200), InboxInterval = TimeSpan.FromMilliseconds(25) };
                engines.Add(await EngineSession.StartAsync(
                    new MongoStore(new() { ConnectionString = connectionString }),
                    new() { Lanes = lanes, MaxBatchCommands = 7, Cluster = cluster }));
            }

            await engines[0].RegisterAsync(Samples.WaitForGo);
            Break(server, new Random(4711));
            foreach (var load in engines.ConvertAll(e => new IdempotentLoad(e)))
            {
                // From every node the same keys: each has its effect once.
                await Task.WhenAll(load.StartsAsync("waitForGo", Count, Cancel), load.SignalsAsync("go", Count, Cancel));
                Assert.Equal(0, load.Failures);
            }

            (server.Before, server.After) = ((_, _) => Task.CompletedTask, (_, _) => Task.CompletedTask);
            var completed = await engines[0].Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
            foreach (var engine in engines)
            {
                await engine.IdleAsync();
            }

            Assert.Equal(Enumerable.Range(0, Count), completed.Select(e => e.Output!.Value.GetInt32()).Order());
            Assert.Equal(Count, engines[0].Events.Seen.Select(e => e.Event.Id).Distinct().Count());
            Assert.Equal(Count, (await engines[0].Engine.ListInstancesAsync(new() { Limit = 1_000 }, Cancel)).Items.Count);
            Assert.Equal(
                (0, 0), (engines.Sum(e => e.Engine.Statistics.LiveInstances), engines.Sum(e => e.Engine.Statistics.BufferedSignals)));
            Assert.True(_broken > 5, $"only {_broken} calls were broken");
        }
        finally
        {
            foreach (var engine in engines)
            {
                await engine.DisposeAsync();
            }
        }
    }

    /// <summary>As a server says so: the transaction has ended.</summary>
    private static Exception Conflict(FakeServer server, FakeCall call)
    {
        server.Command("admin", new BsonDocument("killSessions", new BsonArray { call.Session! }));
        return FakeErrors.WriteConflict();
    }

    private void Break(FakeServer server, Random random)
    {
        server.Before = (call, _) => Next(0.04) switch
        {
            true when call.Session is not null => throw Lost(call),
            false when call.IsInTransaction && call.Name == "bulkWrite" && Next(0.02) => throw Conflict(server, call),
            _ => Task.CompletedTask,
        };
        server.After = (call, _) => call.Session is not null && Next(0.04) ? throw Lost(call) : Task.CompletedTask;

        bool Next(double share)
        {
            lock (_gate)
            {
                return random.NextDouble() < share;
            }
        }

        Exception Lost(FakeCall call)
        {
            Interlocked.Increment(ref _broken);
            return FakeErrors.Network(call.Name == "commitTransaction" ? FakeErrors.UnknownCommit : FakeErrors.Transient);
        }
    }
}
