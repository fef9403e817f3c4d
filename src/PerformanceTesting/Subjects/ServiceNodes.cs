using LoadTesting.Core.Http;
using LoadTesting.Core.Load.Watches;
using Workflow.Abstractions;
using Workflow.Client;
using Workflow.Contracts;
using Workflow.Contracts.Events;

namespace PerformanceTesting.Subjects;

/// <summary>What happens to a node in the middle of a load, on purpose.</summary>
public enum NodeChange
{
    None,

    /// <summary>It is killed, and its users' requests go to another node with the same idempotency key.</summary>
    Killed,

    /// <summary>Requests stop going to it, and it is stopped in order: scale-down.</summary>
    Drained,
}

/// <summary>
/// Ends a node when a third of the load is over, and lets a new one join after two thirds. Place it last among the observers: it begins
/// with the load, and is over before the others look again.
/// </summary>
internal sealed class NodeChangeObserver(HttpSubject subject, NodeChange change, TimeSpan duration) : IRunObserver
{
    private readonly CancellationTokenSource _stop = new();
    private readonly List<string> _notes = [];
    private long _began;
    private Task _changing = Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _began = Stopwatch.GetTimestamp();
        _changing = Task.Run(ChangeAsync, CancellationToken.None);
        return Task.CompletedTask;
    }

    /// <summary>Waits for a node that is on its way; what failed to leave or to join fails the measurement.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await _stop.CancelAsync();
        await _changing.WaitAsync(cancellationToken);
    }

    public ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence)
    {
        var failedOver = change == NodeChange.Killed
            ? $"{subject.FailedOver} requests failed at it and went to another node with the same Idempotency-Key."
            : null;
        return result with { Notes = [.. result.Notes, .. _notes, .. new[] { failedOver }.OfType<string>()] };
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _changing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task ChangeAsync()
    {
        if (await IsOverAsync(1.0 / 3))
        {
            return;
        }

        var at = Now();
        var left = await subject.EndLastNodeAsync(change, CancellationToken.None);
        _notes.Add($"{left.NodeName} was {(change == NodeChange.Killed ? "killed" : "drained")} {at} after the beginning of the load, "
            + $"when it had {left.OwnedLanes.Count} lanes, and was gone {Now()} after it.");
        if (await IsOverAsync(2.0 / 3))
        {
            return;
        }

        at = Now();
        await subject.JoinAsync(CancellationToken.None);
        _notes.Add($"A new node was started {at} after the beginning of the load, and had its share of the lanes {Now()} after it.");
    }

    /// <summary>Waits until that share of the load's time is over; true where the load ended before.</summary>
    private async Task<bool> IsOverAsync(double share)
    {
        var rest = (duration * share) - Stopwatch.GetElapsedTime(_began);
        await Task.Delay(rest > TimeSpan.Zero ? rest : TimeSpan.Zero, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return _stop.IsCancellationRequested;
    }

    private string Now() => FormattableString.Invariant($"{Stopwatch.GetElapsedTime(_began).TotalSeconds:0.0} s");
}

/// <summary>
/// How long the lanes of a node that was killed completed nothing: from the kill to the first completion in each of them that another node
/// executed, as this process received it. Thread-safe.
/// </summary>
/// <param name="lanes">Those that it had.</param>
/// <param name="killedTicks">Monotonic ticks just before the kill.</param>
/// <param name="goneTicks">Monotonic ticks at which its process was gone: what it executed itself was before.</param>
internal sealed class Takeover(IReadOnlyList<int> lanes, long killedTicks, long goneTicks)
{
    private readonly HashSet<string> _waiting = [.. lanes.Select(lane => lane.ToString(CultureInfo.InvariantCulture))];
    private readonly Lock _gate = new();

    public IReadOnlyList<int> Lanes => lanes;

    /// <summary>One sample for each lane that has completed again. Read it when nothing more is received.</summary>
    public LatencyHistogram Latency { get; } = new();

    public void Observe(IntegrationEvent received, long ticks)
    {
        // Its id is the lane and a number; stamps are of this machine's clock, for the service runs here.
        var dash = received.Id.IndexOf('-', StringComparison.Ordinal);
        if (received is not InstanceCompleted || received.Timestamps.ExecutedTicks <= goneTicks || dash < 0)
        {
            return;
        }

        lock (_gate)
        {
            if (_waiting.Remove(received.Id[..dash]))
            {
                Latency.RecordStopwatchTicks(ticks - killedTicks);
            }
        }
    }
}

/// <summary>Which node a request goes to: that of its key, or the next one for the next kind of request.</summary>
internal readonly record struct NodeChoice(string Key, int Next);

/// <summary>
/// Sends each request of a key to the same of its nodes, as a balancer does that knows which of them take requests: a node that leaves in
/// order gets no more, and one at which a request fails gets none from then on where requests may be repeated. Thread-safe.
/// </summary>
internal sealed class NodeBalancer : IDisposable
{
    private static readonly TimeSpan DrainInterval = TimeSpan.FromMilliseconds(1);

    private readonly Lock _gate = new();
    private readonly List<Route> _all = [];
    private volatile Route[] _routes = [];
    private long _failedOver;

    /// <summary>Whether a request without an answer is sent to another node. Default false: it fails.</summary>
    public bool FailsOver { get; set; }

    /// <summary>Requests that were sent to another node.</summary>
    public long FailedOver => Interlocked.Read(ref _failedOver);

    /// <returns>What its requests are sent with.</returns>
    public HttpSender Add(Uri node)
    {
        lock (_gate)
        {
            var route = new Route(node);
            _all.Add(route);
            _routes = [.. _routes, route];
            return route.Sender;
        }
    }

    /// <summary>Sends it nothing more; returns when all that was sent to it has been answered.</summary>
    public async Task DrainAsync(Uri node, CancellationToken cancellationToken)
    {
        var route = _routes.Single(one => one.Node == node);
        Remove(route);
        while (route.InFlight > 0)
        {
            await Task.Delay(DrainInterval, cancellationToken);
        }
    }

    public async Task<T> SendAsync<T>(NodeChoice choice, Func<HttpSender, Task<T>> send)
    {
        while (true)
        {
            var route = Take(choice);
            try
            {
                return await send(route.Sender);
            }
            catch (HttpRequestException) when (FailsOver && Remove(route))
            {
                Interlocked.Increment(ref _failedOver);
            }
            finally
            {
                route.End();
            }
        }
    }

    public void Dispose() => _all.ForEach(route => route.Sender.Dispose());

    /// <summary>Counted before it is known to be still there: whoever drains it afterwards sees the request.</summary>
    private Route Take(NodeChoice choice)
    {
        while (true)
        {
            var routes = _routes;
            var route = routes[((uint)StringComparer.Ordinal.GetHashCode(choice.Key) + (uint)choice.Next) % (uint)routes.Length];
            route.Begin();
            if (routes == _routes || _routes.Contains(route))
            {
                return route;
            }

            route.End();
        }
    }

    /// <summary>False where it is the last one, which stays.</summary>
    private bool Remove(Route route)
    {
        lock (_gate)
        {
            if (_routes is [var last] && last == route)
            {
                return false;
            }

            _routes = [.. _routes.Where(one => one != route)];
            return true;
        }
    }

    private sealed class Route(Uri node)
    {
        private int _inFlight;

        public Uri Node => node;

        public HttpSender Sender { get; } = HttpSender.Lean(node);

        public int InFlight => Volatile.Read(ref _inFlight);

        public void Begin() => Interlocked.Increment(ref _inFlight);

        public void End() => Interlocked.Decrement(ref _inFlight);
    }
}

/// <summary>The processes of the service: those that run, and what one that left had counted.</summary>
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

    /// <summary>Whether one left, so that <see cref="CountAsync(CancellationToken)"/> lacks what it counted last.</summary>
    public bool HaveLeft => _now.Ended is not null;

    /// <summary>A node by its place among all.</summary>
    public ServiceNode this[int place] => _all[place];

    /// <exception cref="WebServiceException">They do not come up, or do not divide the lanes evenly in time.</exception>
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
            _options with { Settings = new Dictionary<string, string>(_options.Settings.Append(name)) }, cancellationToken);
    }

    /// <summary>Kills the last one that runs, or stops it in order. What it counted until right before stays in the counts.</summary>
    /// <returns>What it was then, and the monotonic ticks just before it was ended.</returns>
    /// <exception cref="WebServiceException">It does not end, or not in order.</exception>
    public async Task<(NodeState State, long Ticks)> EndLastAsync(NodeChange change, CancellationToken cancellationToken)
    {
        var node = Live[^1];
        var state = JsonSerializer.Deserialize<NodeState>(await node.Client.Api.ReadyAsync(cancellationToken), ContractsJson.Default)!;
        var counts = await CountAsync(node, cancellationToken);
        var ended = EngineCounters.All.Where(counter => counter.Kind == CounterKind.Gauge && counter.Read(counts) is not null)
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
                $"{state.NodeName} ended with exit code {code} when it was stopped in order: {node.Process!.OutputTail}");
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
                    $"In {DivisionLimit.TotalSeconds} s {nodes.Count} nodes did not divide {counts[0].Lanes} lanes among them; they own "
                    + $"{string.Join(", ", owned)}. Are they on one backend, and is that no other's?");
            }

            await Task.Delay(DivisionInterval, cancellationToken);
        }
    }

    /// <summary>What all that run count now, with what the one that left had counted.</summary>
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

/// <summary>What a node says of itself.</summary>
/// <param name="OwnedLanes">Those that it works on.</param>
internal sealed record NodeState(string NodeName, IReadOnlyList<int> OwnedLanes);

/// <param name="Process">Null where somebody else started it.</param>
internal sealed record ServiceNode(Uri BaseAddress, WorkflowClient Client, WebServiceProcess? Process) : IAsyncDisposable
{
    public ValueTask DisposeAsync()
    {
        if (Process is not null)
        {
            return Process.DisposeAsync();
        }

        Client.Dispose();
        return ValueTask.CompletedTask;
    }
}
