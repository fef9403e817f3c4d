namespace Workflow.Abstractions.Stores;

/// <summary>
/// Durable state of engines. One engine owns a store at a time, or several share it lane by lane (<see cref="Cluster"/>). Reads return
/// committed state only and may run beside flushes. An implementer must not acknowledge before its medium has, must not retry a write by
/// itself (the engine knows which batch is safe to repeat), and must not keep state between calls but connections.
/// </summary>
public interface IWorkflowStore : IAsyncDisposable
{
    /// <summary>Names the store for people: kind, server, database, schema; never a password.</summary>
    string Description { get; }

    /// <summary>What several engines on this store share; null when only one can own it, which <see cref="OpenAsync"/> ensures.</summary>
    IClusterStore? Cluster => null;

    /// <summary>Commits batches of several lanes at once; null where every lane commits by itself.</summary>
    ILaneGroup? Group => null;

    /// <summary>Applies the schema, and takes ownership where there is no <see cref="Cluster"/>.</summary>
    /// <exception cref="Exceptions.EngineAlreadyRunningException">Another engine owns the store, and it cannot be shared.</exception>
    /// <exception cref="Exceptions.StoreUnavailableException">The store cannot be reached; the message names what was tried.</exception>
    Task OpenAsync(CancellationToken cancellationToken);

    /// <summary>How many lanes the store has ever had: the highest index and one. Their event streams are still there.</summary>
    Task<int> CountLanesAsync(CancellationToken cancellationToken);

    /// <summary>Opens the single writer of a lane. After a failure the engine disposes it and opens it again.</summary>
    Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken);

    Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken);

    Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken);

    /// <summary>The history lines of an instance, oldest first; null when there is no such instance.</summary>
    Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Sub-workflows that an instance has called, in order of id, at most <paramref name="limit"/>.</summary>
    Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken);

    Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Lists tasks in order of id. No filter may cost a walk over all of them.</summary>
    Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken);

    Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken);

    Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken);

    /// <summary>Events of a stream in order of sequence.</summary>
    Task<IReadOnlyList<EventRow>> ReadEventsAsync(int stream, long afterSequence, int limit, CancellationToken cancellationToken);

    /// <summary>Definitions with a higher number than <paramref name="after"/>, in order of their numbers.</summary>
    Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(long after, CancellationToken cancellationToken);

    /// <summary>
    /// Adds a definition, durably, with the number behind the last one; where name and version are taken nothing changes. Returns what is
    /// stored then. Whoever sees a number sees all below it too: two that are added at once wait for one another.
    /// </summary>
    Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken);

    /// <summary>
    /// Brings up to date what lists need and commits leave out because they would pay for it. One node calls it every few seconds.
    /// </summary>
    Task MaintainAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Removes one portion of what need not be kept any more: of each kind at most so many rows, in a transaction of its own that waits for
    /// no other. Tasks and calls of a finished instance go before it does; events of one flush may stay until all of them may go. Several
    /// nodes may do it at once.
    /// </summary>
    /// <returns>Whether there may be more.</returns>
    Task<bool> TrimAsync(TrimRequest request, CancellationToken cancellationToken);
}

/// <summary>The writer of one lane. One call at a time, except that <see cref="FindKeysAsync"/> may run beside a flush.</summary>
public interface ILaneStore : IAsyncDisposable
{
    /// <summary>Takes the lane over (late flushes of an earlier owner are refused from then on) and reads what is live in it.</summary>
    /// <exception cref="Exceptions.LaneMovedException">The lane is leased, and not to the node of the assignment.</exception>
    Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Commits a batch: all of it or nothing, in one durable transaction; what is removed goes before what is added. Guards are checked on
    /// the server inside the transaction: the lane's epoch, the batch number (exactly one more than the last), what every instance
    /// replaces with its revision, and the presence of everything removed.
    /// </summary>
    /// <exception cref="FlushException">Nothing was committed, or it is unknown; see <see cref="FlushException.Failure"/>.</exception>
    Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken);

    /// <summary>Which of the idempotency keys are known.</summary>
    Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(IReadOnlyCollection<string> keys, CancellationToken cancellationToken);
}

/// <summary>Commits batches of several lanes of one engine in one durable transaction.</summary>
public interface ILaneGroup
{
    /// <summary>All of the batches or nothing, each with the guards of <see cref="ILaneStore.FlushAsync"/>.</summary>
    /// <param name="flushes">One or more, of lanes of this store, each lane once. None of them has another call under way.</param>
    /// <exception cref="FlushException">Nothing was committed, or it is unknown. It does not say which lane is to blame.</exception>
    Task FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken);
}

/// <summary>A lane and the batch that it commits.</summary>
public readonly record struct LaneFlush(ILaneStore Lane, FlushBatch Batch);

/// <summary>
/// A lane and the partitions it owns: those with partition modulo count equal to index. An index of count or more owns none; such a lane is
/// left over from an engine with more lanes, and only its event stream is still carried out.
/// </summary>
/// <param name="Index">From 0. It is also the number of the lane's event stream.</param>
public sealed record LaneAssignment(int Index, int Count)
{
    /// <summary>The node that holds the lane's lease; null where one engine owns the store. Only with it is the lane taken over.</summary>
    public Guid? Node { get; init; }

    public bool Owns(short partition) => partition % Count == Index;
}

/// <summary>Everything live in a lane, as committed.</summary>
public sealed record LaneSnapshot
{
    public required long LastBatch { get; init; }

    /// <summary>Sequence of the last event of the lane's stream.</summary>
    public required long LastSequence { get; init; }

    /// <summary>Sequence of the last event that every publisher had taken.</summary>
    public required long PublishedSequence { get; init; }

    public required IReadOnlyList<InstanceRow> Instances { get; init; }

    /// <summary>Signals, subscriptions and messages not yet handled, in order of position.</summary>
    public required IReadOnlyList<PendingRow> Pending { get; init; }

    /// <summary>
    /// The highest position of any message (<see cref="PendingKind.Message"/>) that is stored, whatever its partition; 0 without one. Read
    /// after the lane is taken: what its former owner has sent is among them.
    /// </summary>
    public required long LastMessagePosition { get; init; }

    /// <summary>Open dead letters, in order of id.</summary>
    public required IReadOnlyList<DeadLetterRow> DeadLetters { get; init; }
}

/// <summary>What need not be kept any more.</summary>
public sealed record TrimRequest
{
    /// <summary>Events made before and published by every publisher.</summary>
    public required DateTimeOffset EventsBeforeUtc { get; init; }

    public required DateTimeOffset KeysBeforeUtc { get; init; }

    /// <summary>Dead letters replayed before; open ones are kept.</summary>
    public required DateTimeOffset ReplayedBeforeUtc { get; init; }

    /// <summary>Instances that finished before, with their histories, tasks and lists of sub-workflows; null keeps them all.</summary>
    public DateTimeOffset? FinishedBeforeUtc { get; init; }

    /// <summary>Rows of a kind at most.</summary>
    public int Limit { get; init; } = 1_000;
}
