namespace IntegrationTests.Shared.Faults;

/// <summary>
/// A store in front of another that fails where a test wants it: before a flush, after its commit (the answer is lost),
/// for content of a kind, or altogether; and that can hold flushes. Thread-safe.
/// </summary>
public sealed class FaultyStore(IWorkflowStore inner) : IWorkflowStore, ILaneGroup
{
    private readonly Lock _gate = new();
    private readonly Queue<FlushFault> _next = new();
    private Func<int, FlushFault?> _plan = _ => null;
    private TaskCompletionSource _held = NewSignal();
    private TaskCompletionSource _refused = NewSignal();
    private FlushHold? _hold;
    private int _flushes;
    private volatile bool _away;

    public string Description => inner.Description;
    public IClusterStore? Cluster => inner.Cluster;
    public ILaneGroup? Group => inner.Group is null ? null : this;

    /// <summary>Number of flushes requested so far.</summary>
    public int Flushes => Volatile.Read(ref _flushes);

    /// <summary>Completes when a flush is being held.</summary>
    public Task Held
    {
        get
        {
            lock (_gate)
            {
                return _held.Task;
            }
        }
    }

    /// <summary>Completes when the store next refuses somebody.</summary>
    public Task Refused
    {
        get
        {
            lock (_gate)
            {
                return _refused.Task;
            }
        }
    }

    /// <summary>Batches with an instance of this kind are rejected, as a constraint would.</summary>
    public Func<InstanceRow, bool> IsPoison { get; set; } = _ => false;

    /// <summary>Called before each read of the definitions and before each addition. Nothing by default.</summary>
    public Func<Task> BeforeDefinitions { get; init; } = () => Task.CompletedTask;

    /// <summary>Called after each of them with the definitions that were read. Nothing by default.</summary>
    public Func<IReadOnlyList<DefinitionRow>, Task> AfterDefinitions { get; init; } = _ => Task.CompletedTask;

    /// <summary>What precedes each opening of a lane; nothing by default.</summary>
    public Func<Task> BeforeLane { get; set; } = () => Task.CompletedTask;

    /// <summary>
    /// What comes between each read of a lane's instances in some partitions and its answer; nothing by default.
    /// </summary>
    public Func<IReadOnlyCollection<short>, Task> AfterInstances { get; init; } = _ => Task.CompletedTask;

    /// <summary>Called before each read of events with the requested number. Nothing by default.</summary>
    public Action<int> ReadingEvents { get; init; } = _ => { };

    /// <summary>Batches with a dead letter of this kind are rejected.</summary>
    public Func<DeadLetterRow, bool> IsPoisonLetter { get; set; } = _ => false;

    /// <summary>What surrounds each flush that reaches the store; nothing by default.</summary>
    public Func<IReadOnlyList<FlushBatch>, Func<Task>, Task> Around { get; init; } = (_, flush) => flush();

    /// <summary>What answers a request to trim; null for the store behind.</summary>
    public Func<TrimRequest, bool>? Trim { get; init; }

    /// <summary>Whether the store is unreachable.</summary>
    public bool IsAway
    {
        get => _away;
        set => _away = value;
    }

    /// <summary>The next flush that is not failing yet fails so.</summary>
    public void FailNext(FlushFault fault)
    {
        lock (_gate)
        {
            _next.Enqueue(fault);
        }
    }

    /// <summary>Says for every flush, counted from 1, how it fails; null lets it pass.</summary>
    public void Plan(Func<int, FlushFault?> plan)
    {
        lock (_gate)
        {
            _plan = plan;
        }
    }

    /// <summary>Holds every flush back, before it reaches the store, until the hold is released.</summary>
    public FlushHold HoldFlushes()
    {
        lock (_gate)
        {
            _held = NewSignal();
            return _hold = new FlushHold();
        }
    }

    public Task OpenAsync(CancellationToken cancellationToken) => inner.OpenAsync(cancellationToken);
    public Task<int> CountLanesAsync(CancellationToken cancellationToken) => inner.CountLanesAsync(cancellationToken);

    public async Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken)
    {
        await BeforeLane();
        Reach();
        return new FaultyLane(this, await inner.OpenLaneAsync(lane, cancellationToken));
    }

    public Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken) =>
        inner.FindInstanceAsync(id, cancellationToken);

    public Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(
        InstanceQuery query, CancellationToken cancellationToken) =>
        inner.ListInstancesAsync(query, cancellationToken);

    public Task<ListCount> CountInstancesAsync(InstanceQuery query, int most, CancellationToken cancellationToken) =>
        inner.CountInstancesAsync(query, most, cancellationToken);

    public Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        inner.FindHistoryAsync(id, cancellationToken);

    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken) =>
        inner.FindChildrenAsync(parent, limit, cancellationToken);

    public Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken) =>
        inner.FindTaskAsync(id, cancellationToken);

    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken) =>
        inner.ListTasksAsync(query, cancellationToken);

    public Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken) =>
        inner.CountTasksAsync(query, most, cancellationToken);

    public Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken) =>
        inner.FindDeadLetterAsync(id, cancellationToken);

    public Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(
        DeadLetterQuery query, CancellationToken cancellationToken) =>
        inner.ListDeadLettersAsync(query, cancellationToken);

    public Task<ListCount> CountDeadLettersAsync(
        DeadLetterQuery query, int most, CancellationToken cancellationToken) =>
        inner.CountDeadLettersAsync(query, most, cancellationToken);

    public async Task<IReadOnlyList<EventRow>> ReadEventsAsync(
        int stream, long afterSequence, int limit, CancellationToken cancellationToken)
    {
        Reach();
        ReadingEvents(limit);
        return await inner.ReadEventsAsync(stream, afterSequence, limit, cancellationToken);
    }

    public async Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(
        long after, CancellationToken cancellationToken)
    {
        await BeforeDefinitions();
        var read = await inner.LoadDefinitionsAsync(after, cancellationToken);
        await AfterDefinitions(read);
        return read;
    }

    public async Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken)
    {
        await BeforeDefinitions();
        var stored = await inner.AddDefinitionAsync(definition, cancellationToken);
        await AfterDefinitions([]);
        return stored;
    }

    public Task MaintainAsync(CancellationToken cancellationToken) => inner.MaintainAsync(cancellationToken);

    public Task<bool> TrimAsync(TrimRequest request, CancellationToken cancellationToken) =>
        Trim is null ? inner.TrimAsync(request, cancellationToken) : Task.FromResult(Trim(request));

    public ValueTask DisposeAsync() => inner.DisposeAsync();

    /// <summary>Throws while the store is unreachable.</summary>
    internal void Reach()
    {
        if (_away)
        {
            lock (_gate)
            {
                _refused.TrySetResult();
                _refused = NewSignal();
            }

            throw new StoreUnavailableException("The store is away because the test says so.", outcomeUnknown: false);
        }
    }

    Task ILaneGroup.FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken) => FlushAsync(
        [.. flushes.Select(f => f.Batch)],
        () => inner.Group!
            .FlushAsync([.. flushes.Select(f => f with { Lane = ((FaultyLane)f.Lane).Inner })], cancellationToken));

    /// <summary>Flushes batches of one or several lanes unless they must fail.</summary>
    internal async Task FlushAsync(IReadOnlyList<FlushBatch> batches, Func<Task> flush)
    {
        // Instances become dormant by themselves: a test means the flushes that its own commands cause.
        var fault = batches.All(IsOfEvictionsAlone) ? null : await NextAsync();
        if (IsAway)
        {
            throw new FlushException(FlushFailure.Unavailable, "The store is away because the test says so.");
        }

        if (batches.SelectMany(b => b.Instances).Any(i => IsPoison(i.Row))
            || batches.SelectMany(b => b.DeadLetters).OfType<DeadLetterRow>().Any(IsPoisonLetter))
        {
            throw new FlushException(
                FlushFailure.Rejected, "Something of the batch is poison because the test says so.");
        }

        if (fault is null or { AfterCommit: true })
        {
            await Around(batches, flush);
        }

        if (fault is not null)
        {
            IsAway |= fault.ThenAway;
            throw new FlushException(
                fault.Failure, $"The flush fails {(fault.AfterCommit ? "after" : "before")} its "
                    + "commit because the test says so.");
        }
    }

    private static bool IsOfEvictionsAlone(FlushBatch batch) => batch.Dormant.Count > 0
        && batch.Instances.Count + batch.Pending.Count + batch.PendingRemoved.Count + batch.Keys.Count
            + batch.Events.Count + batch.DeadLetters.Count == 0;

    /// <summary>Waits while flushes are held, and says how this one fails.</summary>
    private async Task<FlushFault?> NextAsync()
    {
        FlushHold? hold;
        FlushFault? fault;
        lock (_gate)
        {
            hold = _hold;
            var number = ++_flushes;
            fault = _next.TryDequeue(out var next) ? next : _plan(number);
            _held.TrySetResult();
        }

        if (hold is not null)
        {
            await hold.Released;
        }

        return fault;
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}

/// <summary>The writer of a lane that fails at the store's word.</summary>
internal sealed class FaultyLane(FaultyStore store, ILaneStore inner) : ILaneStore
{
    public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        store.Reach();
        return await inner.LoadAsync(cancellationToken);
    }

    public ILaneStore Inner => inner;

    public async Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
        IReadOnlyCollection<short> partitions, CancellationToken cancellationToken)
    {
        store.Reach();
        var rows = await inner.ReadInstancesAsync(partitions, cancellationToken);
        await store.AfterInstances(partitions).WaitAsync(cancellationToken);
        return rows;
    }

    public IDormantInstances Dormant => new FaultyDormantInstances(store, inner.Dormant);

    public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) =>
        store.FlushAsync([batch], () => inner.FlushAsync(batch, cancellationToken));

    public async Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
        IReadOnlyCollection<string> keys, CancellationToken cancellationToken)
    {
        store.Reach();
        return await inner.FindKeysAsync(keys, cancellationToken);
    }

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}

/// <summary>Keeps flushes back until it is released or disposed.</summary>
public sealed class FlushHold : IDisposable
{
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal Task Released => _released.Task;

    public void Release() => _released.TrySetResult();
    public void Dispose() => Release();
}
