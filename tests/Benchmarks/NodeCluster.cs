using LoadTesting.Core.Load.Watches;
using Workflow.Client;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Engine.Instances;

namespace Benchmarks;

/// <summary>Processes of the web service that share a schema and divide its lanes.</summary>
internal sealed class NodeCluster : IAsyncDisposable
{
    private const int Lanes = 4;
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);
    private static readonly JsonElement s_payload = JsonSerializer.SerializeToElement(new { approved = true });
    private readonly List<WebServiceProcess> _nodes = [];
    private WorkflowClient? _routing;
    private int[] _owners = [];
    private int _next;

    private NodeCluster()
    {
    }

    public IReadOnlyList<WebServiceProcess> Nodes => _nodes;

    /// <summary>Starts the processes, and waits until each has its share of the lanes.</summary>
    public static async Task<NodeCluster> StartAsync(
        BenchmarkContext context, int count, CancellationToken cancellationToken)
    {
        var schema = context.NewSchema();
        return await new NodeCluster().PreparedAsync(async cluster =>
        {
            for (var node = 1; node <= count; node++)
            {
                cluster._nodes.Add(await WebServiceProcess.StartAsync(
                    new WebServiceOptions
                    {
                        Provider = "Postgres", ConnectionString = context.ConnectionString, Schema = schema,
                        Lanes = Lanes,
                        Settings = new Dictionary<string, string> { ["WorkflowCluster:NodeName"] = $"node {node}" },
                    },
                    cancellationToken));
            }

            await cluster._nodes[0].Client.RegisterDefinitionAsync(
                EngineUnderTest.Definition(version: 1), cancellationToken);
            await cluster.DivideAsync(cancellationToken);
            cluster._routing = new(cluster._nodes[0].BaseAddress, new() { RoutesToOwners = true });
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
    /// <param name="isRouted">
    /// Whether the client sends to owners, or the start to one node and the signal to the next.
    /// </param>
    public async Task OperateAsync(bool isRouted, CancellationToken cancellationToken)
    {
        var key = Guid.CreateVersion7().ToString();
        var node = isRouted ? 0 : Interlocked.Increment(ref _next);
        await ClientOf(node).StartAsync(Start(key), null, cancellationToken);
        await ClientOf(node + 1).SignalAsync(Resume(key), null, cancellationToken);

        WorkflowClient ClientOf(int number) => isRouted ? _routing! : _nodes[number % _nodes.Count].Client;
    }

    public static StartInstance Start(string key) => new()
    {
        Definition = "signal-roundtrip", CorrelationKey = key,
        Input = JsonSerializer.SerializeToElement(new { requestId = key }),
    };

    public static SendSignal Resume(string key) =>
        new() { Name = "resume", CorrelationKey = key, Payload = s_payload };

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
        var owners = Array.Empty<(int Lane, int Node)>();
        var since = Stopwatch.GetTimestamp();
        while (owners.Length != Lanes
            || !Enumerable.Range(0, _nodes.Count).All(n => owners.Count(o => o.Node == n) == Lanes / _nodes.Count))
        {
            if (Stopwatch.GetElapsedTime(since) > s_deadline)
            {
                throw new InvalidOperationException(
                    $"{_nodes.Count} nodes have not divided {Lanes} lanes within {s_deadline}; "
                    + $"{owners.Length} are owned.");
            }

            await Task.Delay(20, cancellationToken);
            var owned = await Task.WhenAll(_nodes.Select(node => OwnedAsync(node, cancellationToken)));
            owners = [.. owned.SelectMany((lanes, node) => lanes.Select(lane => (lane, node)))];
        }

        _owners = [.. owners.OrderBy(owner => owner.Lane).Select(owner => owner.Node)];
    }

    private static async Task<int[]> OwnedAsync(WebServiceProcess node, CancellationToken cancellationToken)
    {
        using var http = new HttpClient { BaseAddress = node.BaseAddress };
        using var answer = await http.GetAsync(new Uri("/health/ready", UriKind.Relative), cancellationToken);
        if (!answer.IsSuccessStatusCode)
        {
            return [];
        }

        using var ready = JsonDocument.Parse(await answer.Content.ReadAsStringAsync(cancellationToken));
        return [.. ready.RootElement.GetProperty("ownedLanes").EnumerateArray().Select(lane => lane.GetInt32())];
    }
}
