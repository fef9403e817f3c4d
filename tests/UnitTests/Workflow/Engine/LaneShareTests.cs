using Microsoft.Extensions.Logging;
using Workflow.Engine.Cluster;
using Workflow.Engine.Configuration;

namespace UnitTests.Workflow.Engine;

public sealed class LaneShareTests
{
    [Theory]
    [InlineData(1, 1), InlineData(4, 1), InlineData(4, 2), InlineData(4, 3), InlineData(2, 5), InlineData(64, 7)]
    public void Shares_of_all_nodes_are_all_lanes_and_differ_by_one_at_most(int lanes, int nodes)
    {
        var view = View(lanes, nodes);

        var shares = view.Nodes.Where(n => n.IsLive).Select(n => LaneShare.Of(n.Id, view)).ToArray();

        Assert.Equal(lanes, shares.Sum());
        Assert.InRange(shares.Max() - shares.Min(), 0, 1);
    }

    [Fact]
    public void Node_that_is_gone_has_no_share_and_takes_nothing_from_the_others()
    {
        var view = View(4, 2);

        Assert.Equal(0, LaneShare.Of(view.Nodes.Single(n => !n.IsLive).Id, view));
        Assert.Equal(0, LaneShare.Of(Guid.NewGuid(), view));
    }

    private static ClusterView View(int lanes, int live) => new()
    {
        LaneCount = lanes,
        Lanes = [.. Enumerable.Range(0, lanes).Select(i => new LeaseRow(i, null, TimeSpan.Zero, 0))],
        Nodes = [.. Enumerable.Range(0, live + 1)
            .Select(i => new NodeRow(Guid.NewGuid(), $"n{i}", DateTimeOffset.UnixEpoch, IsLive: i < live))],
        LastDefinition = 0,
    };
}

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
    public async Task Lane_that_breaks_before_it_counts_as_running_is_dropped_and_started_again()
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

        await using var keeper = await StartedAsync();

        Assert.True(keeper.IsFresh(0));
    }

    /// <summary>A renewal that is answered says nothing of lanes that are not in the answer.</summary>
    [Fact]
    public async Task Lease_that_another_node_has_taken_is_not_fresh_when_the_node_renews_the_others()
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

    /// <summary>Whoever logs that the lane was taken is held up until another renewal is over.</summary>
    void ILogger.Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (eventId.Id == LaneTaken && !_store.IsFreeOnce)
        {
            var renewals = _store.Renewals;
            SpinWait.SpinUntil(() => _store.Renewals > renewals + 1, TimeSpan.FromSeconds(5));
        }
    }

    private async Task<LeaseKeeper> StartedAsync()
    {
        var keeper = new LeaseKeeper(
            _store, _host, new() { Lease = Lease, RenewalInterval = Lease / 4 }, lanes: 1, TimeProvider.System, EngineRuntime.OfProcess,
            this);
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

        public override Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken) =>
            Task.CompletedTask;

        public override async Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken)
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

        public override Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken) =>
            Task.CompletedTask;

        public override Task LeaveAsync(Guid node, CancellationToken cancellationToken) => Task.CompletedTask;
    }
}

/// <summary>Does nothing that a test does not say.</summary>
internal class NoClusterStore : IClusterStore
{
    public virtual Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public virtual Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public virtual Task<IReadOnlyList<int>> ClaimAsync(
        Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public virtual Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public virtual Task LeaveAsync(Guid node, CancellationToken cancellationToken) => throw new NotSupportedException();

    public virtual Task<IReadOnlyList<IdempotencyRow>> PutAsync(
        IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken) => throw new NotSupportedException();

    public virtual Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken) => throw new NotSupportedException();

    public virtual Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(
        IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken) => throw new NotSupportedException();

    public virtual Task<IReadOnlyDictionary<int, long>> ReadStreamEndsAsync(CancellationToken cancellationToken) =>
        throw new NotSupportedException();
}
