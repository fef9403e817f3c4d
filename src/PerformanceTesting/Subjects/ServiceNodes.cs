using LoadTesting.Core.Load.Watches;
using Workflow.Abstractions;
using Workflow.Contracts;

namespace PerformanceTesting.Subjects;

/// <summary>The processes of the service: those that run, and the counts of one that left.</summary>
internal sealed class ServiceNodes : IAsyncDisposable
{
    private static readonly TimeSpan DivisionInterval = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan DivisionLimit = TimeSpan.FromSeconds(30);

    private IReadOnlyList<ServiceNode> _all = [];
    private volatile Nodes _now = new([], Ended: null);
    private WebServiceOptions _options = new();

    /// <summary>Every node that was started, in this order.</summary>
    public IReadOnlyList<ServiceNode> All => _all;

    /// <summary>Those that run.</summary>
    public IReadOnlyList<ServiceNode> Live => _now.Live;

    /// <summary>
    /// Whether one left, so that <see cref="CountAsync(CancellationToken)"/> lacks what it counted last.
    /// </summary>
    public bool HaveLeft => _now.Ended is not null;

    /// <summary>A node by its place among all.</summary>
    public ServiceNode this[int place] => _all[place];

    /// <exception cref="WebServiceException">
    /// They do not come up, or do not divide the lanes evenly in time.
    /// </exception>
    public async Task StartAsync(WebServiceOptions options, int nodes, CancellationToken cancellationToken)
    {
        _options = options;
        if (nodes == 1)
        {
            await AddAsync(options, cancellationToken);
            return;
        }

        while (_all.Count < nodes)
        {
            await AddAsync(cancellationToken);
        }

        await DivideAsync(cancellationToken);
    }

    /// <summary>One that runs, and that somebody else started.</summary>
    public void Add(ServiceNode node)
    {
        _all = [.. _all, node];
        _now = _now with { Live = [.. _now.Live, node] };
    }

    /// <summary>One more of several.</summary>
    /// <exception cref="WebServiceException">It does not come up.</exception>
    public Task<ServiceNode> AddAsync(CancellationToken cancellationToken)
    {
        var name = new KeyValuePair<string, string>("WorkflowCluster:NodeName", $"node {_all.Count + 1}");
        return AddAsync(
            _options with { Settings = new Dictionary<string, string>(_options.Settings.Append(name)) },
            cancellationToken);
    }

    /// <summary>
    /// Kills the last one that runs, or stops it in order. What it counted until right before stays in the counts.
    /// </summary>
    /// <returns>What it was then, and the monotonic ticks just before it was ended.</returns>
    /// <exception cref="WebServiceException">It does not end, or not in order.</exception>
    public async Task<(NodeState State, long Ticks)> EndLastAsync(
        NodeChange change, CancellationToken cancellationToken)
    {
        var node = Live[^1];
        var state = JsonSerializer.Deserialize<NodeState>(
            await node.Client.Api.ReadyAsync(cancellationToken), ContractsJson.Default)!;
        var counts = await CountAsync(node, cancellationToken);
        var ended =
            EngineCounters.All.Where(counter => counter.Kind == CounterKind.Gauge && counter.Read(counts) is not null)
            .Aggregate(counts, (left, gauge) => gauge.With(left, 0));
        _now = new([.. Live.Where(one => one != node)], ended);
        var ticks = Stopwatch.GetTimestamp();
        if (change == NodeChange.Killed)
        {
            await node.Process!.KillAsync(cancellationToken);
        }
        else if (await node.Process!.StopAsync(cancellationToken) is not 0 and var code)
        {
            throw new WebServiceException(
                $"{state.NodeName} ended with exit code {code} when it was stopped in "
                    + $"order: {node.Process!.OutputTail}");
        }

        return (state, ticks);
    }

    /// <summary>Waits until those that run have divided the lanes evenly.</summary>
    /// <exception cref="WebServiceException">They do not in time.</exception>
    public async Task DivideAsync(CancellationToken cancellationToken)
    {
        var (nodes, began) = (Live, Stopwatch.GetTimestamp());
        while (true)
        {
            var counts = await Task.WhenAll(nodes.Select(node => CountAsync(node, cancellationToken)));
            var owned = counts.Select(count => count.Cluster?.OwnedLaneCount ?? 0).ToList();
            if (owned.Sum() == counts[0].Lanes && owned.Max() - owned.Min() <= 1)
            {
                return;
            }

            if (Stopwatch.GetElapsedTime(began) > DivisionLimit)
            {
                throw new WebServiceException(
                    $"In {DivisionLimit.TotalSeconds} s {nodes.Count} nodes did not divide {counts[0].Lanes} "
                        + "lanes among them; they own "
                    + $"{string.Join(", ", owned)}. Are they on one backend, and is that no other's?");
            }

            await Task.Delay(DivisionInterval, cancellationToken);
        }
    }

    /// <summary>The sum of the present counts of all nodes and the last counts of one that left.</summary>
    public async Task<EngineStatistics> CountAsync(CancellationToken cancellationToken)
    {
        var now = _now;
        try
        {
            var counts = await Task.WhenAll(now.Live.Select(node => CountAsync(node, cancellationToken)));
            var sum = counts.Aggregate((all, one) => all.Plus(one));
            return now.Ended is { } ended ? sum.Plus(ended) : sum;
        }
        catch (HttpRequestException) when (now != _now)
        {
            // One of them has left meanwhile: those that run now are asked.
            return await CountAsync(cancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var node in _all)
        {
            await node.DisposeAsync();
        }
    }

    private async Task<ServiceNode> AddAsync(WebServiceOptions options, CancellationToken cancellationToken)
    {
        var process = await WebServiceProcess.StartAsync(options, cancellationToken);
        var node = new ServiceNode(process.BaseAddress, process.Client, process);
        Add(node);
        return node;
    }

    private static async Task<EngineStatistics> CountAsync(ServiceNode node, CancellationToken cancellationToken) =>
        EngineStatistics.Parse(MetricsPage.Read(await node.Client.GetMetricsAsync(cancellationToken)));

    /// <param name="Live">Those that run.</param>
    /// <param name="Ended">What one counted until right before it left, its gauges 0; null while none has.</param>
    private sealed record Nodes(IReadOnlyList<ServiceNode> Live, EngineStatistics? Ended);
}
