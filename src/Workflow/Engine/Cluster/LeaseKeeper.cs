using System.Runtime.ExceptionServices;

namespace Workflow.Engine.Cluster;

/// <summary>
/// Keeps the membership and leases of a node: renews all of them together, claims free or expired lanes up to its
/// share, drains and releases lanes above its share, and releases all when it leaves. Lanes are loaded and drained in
/// parallel with the renewals.
/// </summary>
internal sealed class LeaseKeeper(
    IClusterStore store, ILeaseHost host, ClusterOptions options, int lanes, TimeProvider time, EngineRuntime runtime,
    ILogger logger)
    : IAsyncDisposable
{
    private static readonly TimeSpan RetryInterval = TimeSpan.FromMilliseconds(25);
    private static readonly TimeSpan LeaveTimeout = TimeSpan.FromSeconds(3);
    private readonly Lock _gate = new();
    private readonly HashSet<int> _running = [];

    /// <summary>Lanes that were lost while they were being started.</summary>
    private readonly HashSet<int> _lostEarly = [];

    /// <summary>
    /// By lane, when the last renewal or claim was sent that confirmed this node as the owner; 0 if there is none.
    /// </summary>
    private readonly long[] _renewedTicks = new long[lanes];
    private readonly Dictionary<int, (Task Task, bool In)> _moving = [];
    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;
    private long _lost;
    private volatile Exception? _failure;
    private bool _joined;
    private bool _leaving;

    public NodeIdentity Node { get; } = new(runtime.NewId(time.GetUtcNow()), options.NodeName);

    public long LanesLost => Interlocked.Read(ref _lost);

    /// <summary>
    /// Whether this node certainly holds the lease of the lane, measured by its own clock. Always false for a lane of
    /// an engine with more lanes.
    /// </summary>
    public bool IsFresh(int lane) => lane < lanes && Interlocked.Read(ref _renewedTicks[lane]) is not 0 and var renewed
        && time.GetElapsedTime(renewed) < options.Lease;

    /// <summary>
    /// Joins the cluster. Returns when the node has its share of lanes, or after twice the lease. Fails if a lane
    /// cannot be loaded.
    /// </summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await JoinAsync(cancellationToken);

        // The server's clock decides, whatever clock the engine uses.
        var clock = runtime.IoTime;
        var since = clock.GetTimestamp();
        while (true)
        {
            var (view, _) = await RenewAsync(cancellationToken);
            await Task.WhenAll(Moving());
            if (_failure is { } failure)
            {
                ExceptionDispatchInfo.Throw(failure);
            }

            lock (_gate)
            {
                if (_running.Count >= LaneShare.Of(Node.Id, view) || clock.GetElapsedTime(since) > options.Lease * 2)
                {
                    break;
                }
            }

            await Task.Delay(RetryInterval, clock, cancellationToken);
        }

        _loop = runtime.Run(RunAsync);
    }

    /// <summary>A lane reports that this node no longer owns it or that it has failed.</summary>
    public void Lost(int lane)
    {
        lock (_gate)
        {
            if (_running.Contains(lane))
            {
                Drop(lane);
            }
            else if (_moving.TryGetValue(lane, out var move) && move.In)
            {
                _lostEarly.Add(lane);
            }
        }
    }

    /// <summary>Drains every lane and leaves. Other nodes may claim the lanes from then on.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _leaving = true;
        }

        await Task.WhenAll(Moving());
        lock (_gate)
        {
            foreach (var lane in _running.ToArray())
            {
                Release(lane);
            }
        }

        await Task.WhenAll(Moving());
        await runtime.CancelAsync(_stop);
        await _loop;
        if (_joined)
        {
            await LeaveAsync();
        }

        _stop.Dispose();
    }

    private async Task LeaveAsync()
    {
        using var deadline = new CancellationTokenSource(LeaveTimeout, runtime.IoTime);
        for (var isFirst = true; ; isFirst = false)
        {
            try
            {
                await store.LeaveAsync(Node.Id, deadline.Token);
                return;
            }
            catch (Exception) when (isFirst && !deadline.IsCancellationRequested)
            {
                // The connection may be from before a restart of the server. The next one is new.
            }
            catch (Exception e)
            {
                Log.LeaveFailed(logger, e, Node.Name, options.Lease.TotalSeconds);
                return;
            }
        }
    }

    private async Task JoinAsync(CancellationToken cancellationToken)
    {
        await store.JoinAsync(Node, lanes, options.Lease, cancellationToken);
        _joined = true;
    }

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            var pause = options.RenewalInterval;
            try
            {
                var (view, hasEnough) = await RenewAsync(_stop.Token);
                pause = hasEnough ? PauseAfter(view) : RetryInterval;
            }
            catch (LaneCountMismatchException e)
            {
                Log.NodeLeftBehind(logger, e, Node.Name);
                return;
            }
            catch (Exception e) when (!_stop.IsCancellationRequested)
            {
                Log.RenewalFailed(logger, e, Node.Name);
            }
            catch (Exception)
            {
                // The renewals were cancelled.
                return;
            }

            await Task.Delay(pause, time, _stop.Token)
                .ConfigureAwait(
                    ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        }
    }

    /// <summary>
    /// The pause until the next renewal, or until the end of another node's lease if that is earlier.
    /// </summary>
    private TimeSpan PauseAfter(ClusterView view)
    {
        var pause = options.RenewalInterval;
        foreach (var lease in view.Lanes.Where(l => l.Owner is { } owner && owner != Node.Id))
        {
            var end = lease.Left + TimeSpan.FromMilliseconds(1);
            pause = end < pause ? end : pause;
        }

        return pause < RetryInterval ? RetryInterval : pause;
    }

    /// <returns>The state of the cluster, and whether this node has no more lanes to claim.</returns>
    private async Task<(ClusterView View, bool HasEnough)> RenewAsync(CancellationToken cancellationToken)
    {
        var sent = time.GetTimestamp();
        var view = await store.RenewAsync(Node.Id, options.Lease, cancellationToken);
        if (!view.Nodes.Any(n => n.Id == Node.Id))
        {
            await JoinAsync(cancellationToken);
            return (view, false);
        }

        if (view.LaneCount != lanes)
        {
            await LeaveOnLaneCountMismatchAsync(view);
        }

        Renewed(view.Lanes.Where(l => l.Owner == Node.Id).Select(l => l.Lane), sent);
        await host.ObserveAsync(view, cancellationToken);
        int[] free;
        int missing;
        lock (_gate)
        {
            var lost = _running.Where(r => view.Lanes.FirstOrDefault(l => l.Lane == r)?.Owner != Node.Id);
            foreach (var lane in lost.ToArray())
            {
                Drop(lane);
            }

            foreach (var lease in view.Lanes.Where(l => l.Owner == Node.Id && !_running.Contains(l.Lane)))
            {
                Start(lease.Lane);
            }

            missing = LaneShare.Of(Node.Id, view) - _running.Count - _moving.Values.Count(m => m.In);
            foreach (var lane in _running.Order().TakeLast(Math.Max(0, -missing)).ToArray())
            {
                Release(lane);
            }

            free = _leaving || missing <= 0
                ? []
                :
                [
                    .. view.Lanes
                        .Where(l => l.Owner != Node.Id && l.Left <= TimeSpan.Zero && !_moving.ContainsKey(l.Lane))
                        .Select(l => l.Lane).Take(missing),
                ];
        }

        if (free.Length == 0)
        {
            return (view, true);
        }

        sent = time.GetTimestamp();
        var claimed = await store.ClaimAsync(Node.Id, free, options.Lease, cancellationToken);
        Renewed(claimed, sent);
        lock (_gate)
        {
            foreach (var lane in claimed)
            {
                Start(lane);
            }
        }

        return (view, claimed.Count >= missing);
    }

    /// <summary>
    /// The number of lanes was changed while this node was away. Its lanes no longer exist, so it leaves.
    /// </summary>
    private async Task LeaveOnLaneCountMismatchAsync(ClusterView view)
    {
        lock (_gate)
        {
            _leaving = true;
            foreach (var lane in _running.ToArray())
            {
                Drop(lane);
            }
        }

        await LeaveAsync();
        var others = view.Nodes.Where(n => n.IsLive && n.Id != Node.Id).Select(n => n.Name);
        throw new LaneCountMismatchException(lanes, view.LaneCount, string.Join(", ", others));
    }

    private void Renewed(IEnumerable<int> held, long sent)
    {
        foreach (var lane in held.Where(lane => lane < lanes))
        {
            Interlocked.Exchange(ref _renewedTicks[lane], sent);
        }
    }

    private Task[] Moving()
    {
        lock (_gate)
        {
            return [.. _moving.Values.Select(m => m.Task)];
        }
    }

    private void Start(int lane)
    {
        if (!_leaving)
        {
            Move(lane, isIn: true, () => host.StartLaneAsync(lane, _stop.Token));
        }
    }

    private void Release(int lane)
    {
        _running.Remove(lane);
        host.CloseLane(lane);
        Move(lane, isIn: false, async () =>
        {
            await host.StopLaneAsync(lane);
            await store.ReleaseAsync(Node.Id, [lane], CancellationToken.None);
            Log.LaneReleased(logger, lane, Node.Name);
        });
    }

    private void Drop(int lane)
    {
        _running.Remove(lane);
        Interlocked.Increment(ref _lost);
        host.CloseLane(lane);
        Move(lane, isIn: false, () => host.DropLaneAsync(lane));
    }

    /// <summary>
    /// Starts one move of a lane at a time. After a failure, the next view shows what remains to be done.
    /// </summary>
    private void Move(int lane, bool isIn, Func<Task> move)
    {
        if (!_moving.ContainsKey(lane))
        {
            _moving[lane] = (runtime.Run(() => MoveAsync(lane, isIn, move)), isIn);
        }
    }

    private async Task MoveAsync(int lane, bool isIn, Func<Task> move)
    {
        var isDone = false;
        try
        {
            await move();
            isDone = true;
        }
        catch (Exception e)
        {
            Log.MoveFailed(logger, e, lane, Node.Name);
            _failure = e is LaneMovedException ? _failure : e;
        }
        finally
        {
            lock (_gate)
            {
                // Update both sets under one lock: a lane in both or in neither would be counted wrongly.
                _moving.Remove(lane);
                var isLost = _lostEarly.Remove(lane);
                if (isIn && isDone)
                {
                    _running.Add(lane);
                    if (isLost)
                    {
                        Drop(lane);
                    }
                }
            }
        }

        if (isIn && isDone)
        {
            Log.LaneTaken(logger, lane, Node.Name);
        }
    }
}
