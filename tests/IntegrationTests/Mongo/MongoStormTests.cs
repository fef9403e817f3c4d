using IntegrationTests.Mongo.Server;
using Workflow.Engine.Configuration;
using Samples = IntegrationTests.Shared.Conformance.Definitions;

namespace IntegrationTests.Mongo;

/// <summary>
/// Engines over a server whose connections break at any statement and any commit, before or after its effect, and whose
/// transactions conflict.
/// </summary>
[Trait("Category", "Integration")]
public sealed class MongoStormTests : MongoTest
{
    private const int Count = 60;

    private readonly Lock _gate = new();
    private int _broken;

    [Theory]
    [InlineData(1, 1)]
    [InlineData(4, 2)]
    public async Task Broken_connections_cost_repetition_and_nothing_else(int lanes, int nodes)
    {
        var engines = new List<EngineSession>();
        try
        {
            for (var i = 0; i < nodes; i++)
            {
                var cluster = new ClusterOptions
                {
                    NodeName = $"node {i}",
                    Lease = TimeSpan.FromSeconds(20),
                    RenewalInterval = TimeSpan.FromMilliseconds(200),
                    InboxInterval = TimeSpan.FromMilliseconds(25),
                };
                engines.Add(await EngineSession.StartAsync(
                    NewStore(),
                    new() { Lanes = lanes, MaxBatchCommands = 7, Cluster = cluster }));
            }

            await engines[0].RegisterAsync(Samples.WaitForGo);
            Break(new Random(4711));
            foreach (var load in engines.ConvertAll(e => new IdempotentLoad(e)))
            {
                // From every node the same keys: each has its effect once.
                var starts = load.StartsAsync("waitForGo", Count, Cancel);
                await Task.WhenAll(starts, load.SignalsAsync("go", Count, Cancel));
                Assert.Equal(0, load.Failures);
            }

            Server.Calm();
            var completed = await engines[0].Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
            foreach (var engine in engines)
            {
                await engine.IdleAsync();
            }

            Assert.Equal(Enumerable.Range(0, Count), completed.Select(e => e.Output!.Value.GetInt32()).Order());
            Assert.Equal(Count, engines[0].Events.Seen.Select(e => e.Event.Id).Distinct().Count());
            var instances = await engines[0].Engine.ListInstancesAsync(new() { Limit = 1_000 }, Cancel);
            Assert.Equal(Count, instances.Items.Count);
            Assert.Equal(0, engines.Sum(e => e.Engine.Statistics.LiveInstances));
            Assert.Equal(0, engines.Sum(e => e.Engine.Statistics.BufferedSignals));
            Assert.True(_broken > 2, $"only {_broken} calls were broken");
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
    private MongoReplyException Conflict(MongoCall call)
    {
        Server.Documents.Kill(call.Session!.Value);
        return MongoReplyException.WriteConflict();
    }

    private void Break(Random random)
    {
        Server.Before = call =>
        {
            if (IsBroken(call))
            {
                throw new ConnectionCutException();
            }

            return call.IsInTransaction && call.Name is "insert" or "update" && Next(0.02)
                ? throw Conflict(call)
                : Task.CompletedTask;
        };
        Server.After = (call, _) => IsBroken(call) ? throw new ConnectionCutException() : Task.CompletedTask;

        bool IsBroken(MongoCall call)
        {
            var isBroken = call.IsInTransaction && Next(0.05);
            Interlocked.Add(ref _broken, isBroken ? 1 : 0);
            return isBroken;
        }

        bool Next(double share)
        {
            lock (_gate)
            {
                return random.NextDouble() < share;
            }
        }
    }
}
