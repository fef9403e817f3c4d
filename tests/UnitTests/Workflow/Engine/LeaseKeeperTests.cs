using Microsoft.Extensions.Logging;
using Workflow.Engine.Cluster;

namespace UnitTests.Workflow.Engine;

/// <summary>One lane, which the store says is another node's until it is given to the keeper's.</summary>
public sealed class LeaseKeeperTests : ILogger
{
    private const int LaneTaken = 30;
    private static readonly TimeSpan Lease = TimeSpan.FromMilliseconds(200);
    private readonly Store _store = new();
    private readonly Host _host = new();

    /// <summary>A lane that is counted among those that run and those that begin looks like one too many.</summary>
    [Fact]
    public async Task Lane_that_has_just_begun_to_run_is_counted_once()
    {
        await using var keeper = await StartedAsync();
        _store.Owner = keeper.Node.Id;

        await Eventually.HoldsAsync(() => _host.Calls.Count > 0, "the lane is started");
        var renewals = _store.Renewals;
        await Eventually.HoldsAsync(() => _store.Renewals > renewals + 3, "leases are renewed");

        Assert.Equal(["start"], _host.Calls);
    }

    [Fact]
    public async Task Lane_that_fails_at_start_is_started_again()
    {
        await using var keeper = await StartedAsync();
        _host.WhenFirstStarted = () => keeper.Lost(0);
        _store.Owner = keeper.Node.Id;

        await Eventually.HoldsAsync(() => _host.Calls.Count >= 4, "the lane is started twice");

        Assert.Equal(["start", "close", "drop", "start"], _host.Calls);
        Assert.Equal(1, keeper.LanesLost);
    }

    [Fact]
    public async Task Lane_is_fresh_from_its_claim_before_any_renewal_has_shown_it()
    {
        _store.IsFreeOnce = true;

        await using var keeper = await StartedAsync(new ManualTime());

        Assert.True(keeper.IsFresh(0));
    }

    /// <summary>A renewal that is answered says nothing of lanes that are not in the answer.</summary>
    [Fact]
    public async Task Lease_taken_by_another_node_is_not_renewed()
    {
        await using var keeper = await StartedAsync();
        var other = _store.Owner;
        _store.Owner = keeper.Node.Id;
        await Eventually.HoldsAsync(() => keeper.IsFresh(0), "the lease is held");

        List<bool> fresh = [];
        var isFirst = true;
        _host.WhenObserved = async view =>
        {
            if (isFirst)
            {
                (isFirst, _store.Owner) = (false, other);
                await Task.Delay(Lease * 2, Cancel);
            }
            else if (view.Lanes[0].Owner == other)
            {
                fresh.Add(keeper.IsFresh(0));
            }
        };
        await Eventually.HoldsAsync(() => _host.Calls.Contains("drop"), "the lane is dropped");

        Assert.Equal([false], fresh.Distinct());
    }

    IDisposable? ILogger.BeginScope<TState>(TState state) => null;

    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    /// <summary>The log of the lost lane is blocked until another renewal is over.</summary>
    void ILogger.Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (eventId.Id == LaneTaken && !_store.IsFreeOnce)
        {
            var renewals = _store.Renewals;
            SpinWait.SpinUntil(() => _store.Renewals > renewals + 1, TimeSpan.FromSeconds(5));
        }
    }

    private async Task<LeaseKeeper> StartedAsync(TimeProvider? time = null)
    {
        var keeper = new LeaseKeeper(
            _store, _host, new() { Lease = Lease, RenewalInterval = Lease / 4 }, lanes: 1, time ?? TimeProvider.System,
            EngineRuntime.OfProcess, this);
        await keeper.StartAsync(Cancel);
        return keeper;
    }

    private sealed class Host : ILeaseHost
    {
        private int _starts;

        public ConcurrentQueue<string> Calls { get; } = [];
        public Action WhenFirstStarted { get; set; } = () => { };
        public Func<ClusterView, Task> WhenObserved { get; set; } = _ => Task.CompletedTask;

        public Task StartLaneAsync(int lane, CancellationToken cancellationToken)
        {
            Calls.Enqueue("start");
            if (Interlocked.Increment(ref _starts) == 1)
            {
                WhenFirstStarted();
            }

            return Task.CompletedTask;
        }

        public void CloseLane(int lane) => Calls.Enqueue("close");

        public Task StopLaneAsync(int lane) => CalledAsync("stop");

        public Task DropLaneAsync(int lane) => CalledAsync("drop");

        public Task ObserveAsync(ClusterView view, CancellationToken cancellationToken) => WhenObserved(view);

        private Task CalledAsync(string name)
        {
            Calls.Enqueue(name);
            return Task.CompletedTask;
        }
    }

    private sealed class Store : NoClusterStore
    {
        private int _renewals;
        private object _owner = Guid.NewGuid();

        public int Renewals => Volatile.Read(ref _renewals);

        /// <summary>The lane may be claimed, and no renewal after the first is answered.</summary>
        public bool IsFreeOnce { get; set; }

        public Guid Owner
        {
            get => (Guid)Volatile.Read(ref _owner);
            set => Volatile.Write(ref _owner, value);
        }

        public override Task JoinAsync(
            NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken) =>
            Task.CompletedTask;

        public override async Task<ClusterView> RenewAsync(
            Guid node, TimeSpan lease, CancellationToken cancellationToken)
        {
            if (Interlocked.Increment(ref _renewals) > 1 && IsFreeOnce)
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }

            return new ClusterView
            {
                LaneCount = 1,
                Lanes = [new(0, Owner, IsFreeOnce ? TimeSpan.Zero : lease, 0)],
                Nodes = [new(node, "own", DateTimeOffset.UnixEpoch, IsLive: true)],
                LastDefinition = 0,
            };
        }

        public override Task<IReadOnlyList<int>> ClaimAsync(
            Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken) =>
            Task.FromResult<IReadOnlyList<int>>([.. lanes]);

        public override Task ReleaseAsync(
            Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken) =>
            Task.CompletedTask;

        public override Task LeaveAsync(Guid node, CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
