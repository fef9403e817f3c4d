namespace UnitTests.Workflow.Simulation;

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

    public Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(
        InstanceQuery query, CancellationToken cancellationToken) =>
        _network.CallAsync("list instances", () => _model.Reads.ListInstancesAsync(query, default), cancellationToken);

    public Task<ListCount> CountInstancesAsync(InstanceQuery query, int most, CancellationToken cancellationToken) =>
        _network.CallAsync(
            "count instances", () => _model.Reads.CountInstancesAsync(query, most, default), cancellationToken);

    public Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        _network.CallAsync("find history", () => _model.Reads.FindHistoryAsync(id, default), cancellationToken);

    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken) =>
        _network.CallAsync(
            "find children", () => _model.Reads.FindChildrenAsync(parent, limit, default), cancellationToken);

    public Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken) =>
        _network.CallAsync("find task", () => _model.Reads.FindTaskAsync(id, default), cancellationToken);

    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken) =>
        _network.CallAsync("list tasks", () => _model.Reads.ListTasksAsync(query, default), cancellationToken);

    public Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken) =>
        _network.CallAsync("count tasks", () => _model.Reads.CountTasksAsync(query, most, default), cancellationToken);

    public Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken) =>
        _network.CallAsync("find dead letter", () => _model.Reads.FindDeadLetterAsync(id, default), cancellationToken);

    public Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(
        DeadLetterQuery query, CancellationToken cancellationToken) =>
        _network.CallAsync(
            "list dead letters", () => _model.Reads.ListDeadLettersAsync(query, default), cancellationToken);

    public Task<ListCount> CountDeadLettersAsync(
        DeadLetterQuery query, int most, CancellationToken cancellationToken) =>
        _network.CallAsync(
            "count dead letters", () => _model.Reads.CountDeadLettersAsync(query, most, default), cancellationToken);

    public Task<IReadOnlyList<EventRow>> ReadEventsAsync(
        int stream, long afterSequence, int limit, CancellationToken cancellationToken) =>
        _network.CallAsync("read events", () => _model.Reads.ReadEventsAsync(stream, afterSequence, limit, default),
            cancellationToken);

    public Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(long after, CancellationToken cancellationToken) =>
        _network.CallAsync(
            "load definitions", () => _model.Reads.LoadDefinitionsAsync(after, default), cancellationToken);

    public Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken) =>
        _network.CallAsync(
            "add definition", () => _model.Reads.AddDefinitionAsync(definition, default), cancellationToken);

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

    public bool KeepsAddresses => true;

    public Task PublishAsync(Guid node, Uri address, string secret, CancellationToken cancellationToken) =>
        DoAsync("publish", () => _model.Publish(node, address, secret), cancellationToken);

    public Task LeaveAsync(Guid node, CancellationToken cancellationToken) =>
        DoAsync("leave", () => _model.Leave(node), cancellationToken);

    public Task<IReadOnlyList<IdempotencyRow>> PutAsync(
        IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken) =>
        AskAsync("put", () => _model.Put(messages), cancellationToken);

    public Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken) =>
        AskAsync("read inbox", () => _model.ReadInbox(lanes, limit), cancellationToken);

    public Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(
        IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken) =>
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

    private sealed class Writer(SimulatedStore store, LaneAssignment assignment) : ILaneStore, IDormantInstances
    {
        private readonly InMemoryLane _lane = new(store._model.Tables, assignment);
        private long _epoch;

        public IDormantInstances Dormant => this;

        public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
        {
            var (snapshot, epoch) = await store._network.CallAsync(
                "load", () => store._model.LoadAsync(_lane, assignment), cancellationToken);
            _epoch = epoch;
            return snapshot;
        }

        public Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
            IReadOnlyCollection<short> partitions, CancellationToken cancellationToken) => store._network.CallAsync(
                "read instances", () => store._model.ReadInstancesAsync(_lane, assignment, partitions),
                cancellationToken);

        public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) =>
            store.CommitAsync([FlushOf(batch)], cancellationToken);

        /// <summary>The epoch goes with the call: what is late names the old one.</summary>
        public Flush FlushOf(FlushBatch batch) => new(_lane, assignment, _epoch, batch);

        public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
            IReadOnlyCollection<string> keys, CancellationToken cancellationToken) =>
            store._network.CallAsync("find keys", () => _lane.FindKeysAsync(keys, default), cancellationToken);

        public Task<IReadOnlyList<InstanceRow>> FindAsync(DormantLookup lookup, CancellationToken cancellationToken) =>
            store._network.CallAsync(
                "find dormant", () => store._model.FindDormantAsync(_lane, (assignment.Index, _epoch), lookup), cancellationToken);

        public Task<IReadOnlyList<DormantDue>> ReadDueAsync(
            (DateTimeOffset DueUtc, Guid Id)? after, DateTimeOffset until, int limit,
            CancellationToken cancellationToken) => store._network.CallAsync(
                "read due", () => store._model.ReadDueAsync(_lane, after, until, limit), cancellationToken);

        public Task<IReadOnlyList<long>> ReadSlotsAsync(
            short partition, long? after, int limit, CancellationToken cancellationToken) => store._network.CallAsync(
                "read slots", () => _lane.ReadSlotsAsync(partition, after, limit, default), cancellationToken);

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
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

    /// <summary>The call has its effect, but its answer is lost.</summary>
    AnswerLost,
}
