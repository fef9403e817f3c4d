using Workflow.Abstractions.Notifications;

namespace UnitTests.Workflow.Simulation;

/// <summary>What goes wrong between a node and its store, in tenths of a percent of the calls.</summary>
internal sealed record FaultRates
{
    /// <summary>The call fails and has no effect.</summary>
    public int LostCalls { get; init; }

    /// <summary>The call has its effect, and its answer is lost.</summary>
    public int LostAnswers { get; init; }

    /// <summary>The call fails, and has its effect some time after.</summary>
    public int LateEffects { get; init; }

    /// <summary>A flush reaches the server twice.</summary>
    public int DoubledFlushes { get; init; }

    /// <summary>The flush is refused as stale or as a conflict though it is neither.</summary>
    public int StaleFlushes { get; init; }

    /// <summary>The call or its answer takes up to seconds.</summary>
    public int SlowCalls { get; init; }

    /// <summary>A notification between nodes is lost.</summary>
    public int LostNotifications { get; init; }

    /// <summary>A request from node to node is refused, lost, late or doubled, or its answer is lost: each has this rate.</summary>
    public int PeerFaults { get; init; }
}

/// <summary>The way between nodes and the server of their store, on which the seed loses, delays and doubles.</summary>
internal sealed class Network(SimulationLoop loop, SimulatedProcess server)
{
    public FaultRates Rates { get; set; } = new();

    /// <summary>No call reaches the server.</summary>
    public bool IsAway { get; set; }

    /// <summary>Calls the server: the effect takes place there, whatever becomes of the caller meanwhile.</summary>
    public Task<T> CallAsync<T>(string what, Func<Task<T>> effect, CancellationToken cancellationToken, bool isFlush = false)
    {
        loop.Record(what);
        var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        var registration = cancellationToken.UnsafeRegister(_ => answer.TrySetCanceled(cancellationToken), null);
        var fault = IsAway ? Fault.LostCall : NextFault(isFlush);
        if (fault != Fault.None)
        {
            loop.Note(() => $"'{what}': {fault}");
        }

        switch (fault)
        {
            case Fault.LostCall:
                server.Post(() => answer.TrySetException(Lost(what)), Latency());
                break;
            case Fault.Stale:
                var failure = loop.Chance(50) ? FlushFailure.Conflict : FlushFailure.Stale;
                server.Post(() => answer.TrySetException(new FlushException(failure, "So the seed decided.")), Latency());
                break;
            case Fault.LateEffect:
                server.Post(() => answer.TrySetException(Lost(what)), Latency());
                server.Post(() => Serve(what, effect, null), loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1)));
                break;
            default:
                Action<Task<T>> answering = fault == Fault.LostAnswer ? Lose : fault == Fault.Doubled ? GiveAndRepeat : Give;
                server.Post(() => Serve(what, effect, answering), Latency());
                break;
        }

        return answer.Task;

        void GiveAndRepeat(Task<T> outcome)
        {
            Give(outcome);
            server.Post(() => Serve(what, effect, null), loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1)));
        }

        void Lose(Task<T> outcome) => server.Post(() => answer.TrySetException(Lost(what)), Latency());
        void Give(Task<T> outcome) => server.Post(
            () =>
            {
                registration.Dispose();
                answer.TrySetFromTask(outcome);
            },
            Latency());
    }

    /// <summary>What goes wrong with a request from node to node.</summary>
    public PeerFault NextPeerFault() =>
        loop.Random.Next(1_000) / Math.Max(1, Rates.PeerFaults) is var drawn && Rates.PeerFaults > 0 && drawn < 5
            ? PeerFault.Refused + drawn
            : PeerFault.None;

    public bool LosesNotification() => loop.Random.Next(1_000) < Rates.LostNotifications;

    public TimeSpan Latency() =>
        loop.Random.Next(1_000) < Rates.SlowCalls ? loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(3))
        : loop.Chance(70) ? TimeSpan.Zero
        : loop.Between(TimeSpan.Zero, TimeSpan.FromMilliseconds(3));

    private void Serve<T>(string what, Func<Task<T>> effect, Action<Task<T>>? answer)
    {
        var outcome = effect();
        if (!outcome.IsCompleted)
        {
            throw new InvalidOperationException($"The effect of '{what}' is not one instant.");
        }

        loop.Record(what);
        loop.Record((ulong)outcome.Status);
        answer?.Invoke(outcome);
        _ = outcome.Exception;
    }

    private Fault NextFault(bool isFlush)
    {
        var drawn = loop.Random.Next(1_000);
        return (drawn -= Rates.LostCalls) < 0 ? Fault.LostCall
            : (drawn -= Rates.LostAnswers) < 0 ? Fault.LostAnswer
            : (drawn -= Rates.LateEffects) < 0 ? Fault.LateEffect
            : !isFlush ? Fault.None
            : (drawn -= Rates.DoubledFlushes) < 0 ? Fault.Doubled
            : drawn - Rates.StaleFlushes < 0 ? Fault.Stale
            : Fault.None;
    }

    private static IOException Lost(string what) => new($"The connection broke during '{what}'.");

    private enum Fault
    {
        None,
        LostCall,
        LostAnswer,
        LateEffect,
        Doubled,
        Stale,
    }
}

/// <summary>One node's handle on the store: every call goes over the network.</summary>
/// <param name="hasGroup">Whether several lanes can commit at once.</param>
internal sealed class SimulatedStore(Network network, StoreModel model, PlantedBug bug, bool hasGroup)
    : IWorkflowStore, IClusterStore, ILaneGroup
{
    private readonly Network _network = network;
    private readonly StoreModel _model = model;

    public string Description => "simulation";
    public IClusterStore Cluster => this;
    public ILaneGroup? Group => hasGroup ? this : null;

    public Task OpenAsync(CancellationToken cancellationToken) => DoAsync("open", () => { }, cancellationToken);

    public Task<int> CountLanesAsync(CancellationToken cancellationToken) =>
        _network.CallAsync("count lanes", () => _model.Reads.CountLanesAsync(default), cancellationToken);

    public Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken) =>
        Task.FromResult<ILaneStore>(new Writer(this, lane));

    public Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken) =>
        _network.CallAsync("find instance", () => _model.Reads.FindInstanceAsync(id, default), cancellationToken);

    public Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken) =>
        _network.CallAsync("list instances", () => _model.Reads.ListInstancesAsync(query, default), cancellationToken);

    public Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        _network.CallAsync("find history", () => _model.Reads.FindHistoryAsync(id, default), cancellationToken);

    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken) =>
        _network.CallAsync("find children", () => _model.Reads.FindChildrenAsync(parent, limit, default), cancellationToken);

    public Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken) =>
        _network.CallAsync("find task", () => _model.Reads.FindTaskAsync(id, default), cancellationToken);

    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken) =>
        _network.CallAsync("list tasks", () => _model.Reads.ListTasksAsync(query, default), cancellationToken);

    public Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken) =>
        _network.CallAsync("find dead letter", () => _model.Reads.FindDeadLetterAsync(id, default), cancellationToken);

    public Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken) =>
        _network.CallAsync("list dead letters", () => _model.Reads.ListDeadLettersAsync(query, default), cancellationToken);

    public Task<IReadOnlyList<EventRow>> ReadEventsAsync(int stream, long afterSequence, int limit, CancellationToken cancellationToken) =>
        _network.CallAsync("read events", () => _model.Reads.ReadEventsAsync(stream, afterSequence, limit, default), cancellationToken);

    public Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(long after, CancellationToken cancellationToken) =>
        _network.CallAsync("load definitions", () => _model.Reads.LoadDefinitionsAsync(after, default), cancellationToken);

    public Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken) =>
        _network.CallAsync("add definition", () => _model.Reads.AddDefinitionAsync(definition, default), cancellationToken);

    public Task<bool> TrimAsync(TrimRequest request, CancellationToken cancellationToken) =>
        _network.CallAsync("trim", () => _model.Reads.TrimAsync(request, default), cancellationToken);

    public Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken) =>
        DoAsync("join", () => _model.Join(node, lanes, lease), cancellationToken);

    public Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken) =>
        AskAsync("renew", () => _model.Renew(node, lease), cancellationToken);

    public Task<IReadOnlyList<int>> ClaimAsync(
        Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken) =>
        AskAsync("claim", () => _model.Claim(node, lanes, lease), cancellationToken);

    public Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken) =>
        DoAsync("release", () => _model.Release(node, lanes), cancellationToken);

    public Task PublishAsync(Guid node, Uri address, string secret, CancellationToken cancellationToken) =>
        DoAsync("publish", () => _model.Publish(node, address, secret), cancellationToken);

    public Task LeaveAsync(Guid node, CancellationToken cancellationToken) =>
        DoAsync("leave", () => _model.Leave(node), cancellationToken);

    public Task<IReadOnlyList<IdempotencyRow>> PutAsync(IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken) =>
        AskAsync("put", () => _model.Put(messages), cancellationToken);

    public Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken) =>
        AskAsync("read inbox", () => _model.ReadInbox(lanes, limit), cancellationToken);

    public Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken) =>
        AskAsync("take replies", () => _model.TakeReplies(messages), cancellationToken);

    public Task<IReadOnlyDictionary<int, long>> ReadStreamEndsAsync(CancellationToken cancellationToken) =>
        AskAsync("read stream ends", _model.StreamEnds, cancellationToken);

    Task ILaneGroup.FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken) =>
        CommitAsync([.. flushes.Select(f => ((Writer)f.Lane).FlushOf(f.Batch))], cancellationToken);

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private Task CommitAsync(IReadOnlyList<Flush> flushes, CancellationToken cancellationToken)
    {
        var flush = _network.CallAsync(
            "flush",
            async () =>
            {
                await _model.CommitAsync(flushes);
                return true;
            },
            cancellationToken,
            isFlush: true);
        return bug == PlantedBug.AcknowledgedBeforeCommit ? Task.CompletedTask : flush;
    }

    private Task<T> AskAsync<T>(string what, Func<T> effect, CancellationToken cancellationToken) =>
        _network.CallAsync(what, () => Caught(effect), cancellationToken);

    private Task DoAsync(string what, Action effect, CancellationToken cancellationToken) => AskAsync(
        what,
        () =>
        {
            effect();
            return true;
        },
        cancellationToken);

    private static Task<T> Caught<T>(Func<T> effect)
    {
        try
        {
            return Task.FromResult(effect());
        }
        catch (Exception e)
        {
            return Task.FromException<T>(e);
        }
    }

    private sealed class Writer(SimulatedStore store, LaneAssignment assignment) : ILaneStore
    {
        private readonly InMemoryLane _lane = new(store._model.Tables, assignment);
        private long _epoch;

        public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
        {
            var (snapshot, epoch) = await store._network.CallAsync(
                "load", () => store._model.LoadAsync(_lane, assignment), cancellationToken);
            _epoch = epoch;
            return snapshot;
        }

        public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) =>
            store.CommitAsync([FlushOf(batch)], cancellationToken);

        /// <summary>The epoch goes with the call: what is late names the old one.</summary>
        public Flush FlushOf(FlushBatch batch) => new(_lane, assignment, _epoch, batch);

        public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
            IReadOnlyCollection<string> keys, CancellationToken cancellationToken) =>
            store._network.CallAsync("find keys", () => _lane.FindKeysAsync(keys, default), cancellationToken);

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}

/// <summary>Notifications between the nodes: they come late, more than once, or not at all.</summary>
internal sealed class SimulatedNotifier(Network network, SimulatedProcess own, List<SimulatedNotifier> all) : INotifier
{
    private Action<int>? _wake;

    public string Description => "simulation";
    public NotificationCounts Counts => new(0, 0, 0, 0);

    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken)
    {
        _wake = wake;
        all.Add(this);
        return Task.CompletedTask;
    }

    public void Send(int lane)
    {
        foreach (var other in all.Where(n => n != this && !network.LosesNotification()))
        {
            other.Deliver(lane, network.Latency());
        }
    }

    public ValueTask DisposeAsync()
    {
        all.Remove(this);
        return ValueTask.CompletedTask;
    }

    private void Deliver(int lane, TimeSpan after) => own.Post(() => _wake!(lane), after);
}

/// <summary>What goes wrong with a request from node to node.</summary>
internal enum PeerFault
{
    None,

    /// <summary>There is no connection.</summary>
    Refused,

    /// <summary>It never comes.</summary>
    Lost,

    /// <summary>It comes after its sender has given up, or long after it was sent.</summary>
    Late,

    /// <summary>It comes twice.</summary>
    Doubled,

    /// <summary>It has its effect, and nobody learns of it.</summary>
    AnswerLost,
}

/// <summary>Requests from a node to others, and the answers.</summary>
internal sealed class SimulatedPeers(SimulationLoop loop, Network network, SimulatedProcess own, Func<int, SimulatedNode?> nodeAt)
    : IPeerTransport
{
    public static Uri AddressOf(SimulatedProcess process) => new($"http://node:{process.Number}");

    public Task<PeerReply> SendAsync(Peer peer, PeerRequest request, TimeSpan timeout)
    {
        loop.Record("peer");
        var fault = network.NextPeerFault();
        loop.Note(() => $"node {own.Number} asks node {peer.Address.Port}: {request.Kind} {request.Id}, fault {fault}");
        var reply = new TaskCompletionSource<PeerReply>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (fault == PeerFault.Refused || nodeAt(peer.Address.Port) is not { } target)
        {
            Answer(new(PeerOutcome.Unreachable), network.Latency());
            return reply.Task;
        }

        Answer(new(PeerOutcome.Unknown), timeout);
        target.Process.Killed += () => Answer(new(PeerOutcome.Unknown), network.Latency());
        if (fault != PeerFault.Lost)
        {
            Deliver(fault == PeerFault.Late ? loop.Between(TimeSpan.Zero, timeout * 3) : network.Latency());
        }

        if (fault == PeerFault.Doubled)
        {
            Deliver(loop.Between(TimeSpan.Zero, timeout * 3));
        }

        return reply.Task;

        void Answer(PeerReply outcome, TimeSpan after) => own.Post(() => reply.TrySetResult(outcome), after);

        void Deliver(TimeSpan after) => target.Process.Post(async () =>
        {
            PeerReply outcome;
            try
            {
                outcome = await target.Engine.ExecuteForPeerAsync(request);
            }
            catch (IOException e)
            {
                loop.Note(() => $"node {target.Process.Number} could not execute {request.Id}: {e.Message}");
                outcome = new(PeerOutcome.Unknown);
            }

            if (fault != PeerFault.AnswerLost)
            {
                Answer(outcome, network.Latency());
            }
        }, after);
    }
}
