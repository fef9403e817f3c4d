using LoadTesting.Core.Load.Watches;
using Workflow.Client;
using Workflow.Contracts.Cluster;
using Workflow.Engine.Instances;

namespace Benchmarks;

/// <summary>Processes of the web service that share a schema and divide its lanes, or have one each.</summary>
internal sealed class NodeCluster : IAsyncDisposable
{
    private const int Lanes = 4;
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);
    private readonly List<WebServiceProcess> _nodes = [];
    private readonly NodeUse _use;
    private WorkflowClient? _routing;
    private int[] _owners = [];
    private int _next;

    private NodeCluster(NodeUse use) => _use = use;

    public IReadOnlyList<WebServiceProcess> Nodes => _nodes;

    /// <summary>Starts the processes, and waits until each has its share of the lanes.</summary>
    public static async Task<NodeCluster> StartAsync(
        BenchmarkContext context, int count, NodeUse use, CancellationToken cancellationToken)
    {
        var schema = context.NewSchema();
        return await new NodeCluster(use).PreparedAsync(async cluster =>
        {
            for (var node = 1; node <= count; node++)
            {
                schema = use == NodeUse.Apart && node > 1 ? context.NewSchema() : schema;
                cluster._nodes.Add(await WebServiceProcess.StartAsync(
                    new WebServiceOptions
                    {
                        Provider = "Postgres", ConnectionString = context.ConnectionString, Schema = schema,
                        Lanes = Lanes,
                        Settings = new Dictionary<string, string> { ["WorkflowCluster:NodeName"] = $"node {node}" },
                    },
                    cancellationToken));
            }

            foreach (var node in cluster._nodes)
            {
                await node.Client.RegisterDefinitionAsync(EngineUnderTest.Definition(version: 1), cancellationToken);
            }

            if (use != NodeUse.Apart)
            {
                await cluster.DivideAsync(cancellationToken);
                cluster._routing = new(cluster._nodes[0].BaseAddress, new() { RoutesToOwners = true });
            }
        });
    }

    /// <summary>The place of the node that has the key's lane.</summary>
    public int OwnerOf(string key) => _owners[Partitioning.OfKey(key) % Lanes];

    /// <summary>A new key of a lane of the node.</summary>
    public string KeyOf(int node)
    {
        while (true)
        {
            var key = Guid.CreateVersion7().ToString();
            if (OwnerOf(key) == node)
            {
                return key;
            }
        }
    }

    /// <summary>
    /// One workflow: a start and a signal, which is answered when its commit has completed the workflow.
    /// </summary>
    public async Task OperateAsync(CancellationToken cancellationToken)
    {
        var key = Guid.CreateVersion7().ToString();
        var node = Interlocked.Increment(ref _next);
        var next = _use == NodeUse.Apart ? node : node + 1;
        await ClientOf(node).StartAsync(RoundTripRequests.Start(key), null, cancellationToken);
        await ClientOf(next).SignalAsync(RoundTripRequests.Resume(key), null, cancellationToken);

        WorkflowClient ClientOf(int number) =>
            _use == NodeUse.Routed ? _routing! : _nodes[number % _nodes.Count].Client;
    }

    /// <summary>Waits until the first node has all lanes, because the others do not answer.</summary>
    public Task WaitUntilFirstHasAllAsync(CancellationToken cancellationToken) => LanesAsync(
        read => read.All(lane => lane.Address == _nodes[0].BaseAddress),
        "The first node has not taken all lanes over", cancellationToken);

    /// <summary>Completed workflows and commits of all nodes.</summary>
    public async Task<(long Completed, long Commits)> CountAsync(CancellationToken cancellationToken)
    {
        var pages = await Task.WhenAll(_nodes.Select(node => node.Client.GetMetricsAsync(cancellationToken)));
        var counts = pages.Select(MetricsPage.Read).ToArray();
        return ((long)counts.Sum(count => count["workflow_instances_completed_total"]),
            (long)counts.Sum(count => count["workflow_commits_total"]));
    }

    public async ValueTask DisposeAsync()
    {
        _routing?.Dispose();
        foreach (var node in _nodes)
        {
            await node.DisposeAsync();
        }
    }

    private async Task DivideAsync(CancellationToken cancellationToken)
    {
        var lanes = await LanesAsync(
            read => _nodes.TrueForAll(
                node => read.Count(lane => lane.Address == node.BaseAddress) == Lanes / _nodes.Count),
            $"{_nodes.Count} nodes have not divided {Lanes} lanes", cancellationToken);
        _owners = [.. lanes.Select(lane => _nodes.FindIndex(node => node.BaseAddress == lane.Address))];
    }

    /// <summary>Waits until the lanes have the owners that are wanted.</summary>
    /// <param name="complaint">What is the matter if that takes too long.</param>
    private async Task<IReadOnlyList<LaneOwner>> LanesAsync(
        Func<IReadOnlyList<LaneOwner>, bool> areWanted, string complaint, CancellationToken cancellationToken)
    {
        var since = Stopwatch.GetTimestamp();
        IReadOnlyList<LaneOwner> lanes = [];
        while (lanes.Count == 0 || !areWanted(lanes))
        {
            if (Stopwatch.GetElapsedTime(since) > s_deadline)
            {
                throw new InvalidOperationException($"{complaint} within {s_deadline}: {string.Join("; ", lanes)}.");
            }

            await Task.Delay(20, cancellationToken);
            lanes = (await _nodes[0].Client.GetClusterAsync(cancellationToken)).Lanes;
        }

        return lanes;
    }
}
