namespace Workflow.Abstractions.Stores;

/// <summary>
/// Durable state of engines. One engine owns a store at a time, or several share it lane by lane (<see cref="Cluster"/>). Reads return committed state only and may run beside flushes.
/// An implementer must not acknowledge before its medium has, must not retry a write by itself (the engine knows which batch is safe to
/// repeat), and must not keep state between calls but connections.
/// </summary>
public interface IWorkflowStore : IAsyncDisposable
{
    /// <summary>Names the store for people: kind, server, database, schema; never a password.</summary>
    string Description { get; }

    /// <summary>What several engines on this store share; null when only one engine at a time can own it, which <see cref="OpenAsync"/> sees to then.</summary>
    IClusterStore? Cluster => null;

    /// <summary>Applies the schema, and takes ownership where there is no <see cref="Cluster"/>.</summary>
    /// <exception cref="Exceptions.EngineAlreadyRunningException">Another engine owns the store, and it cannot be shared.</exception>
    /// <exception cref="Exceptions.StoreUnavailableException">The store cannot be reached; the message names what was tried.</exception>
    Task OpenAsync(CancellationToken cancellationToken);

    /// <summary>How many lanes the store has ever had: the highest index and one. Their event streams are still there.</summary>
    Task<int> CountLanesAsync(CancellationToken cancellationToken);

    /// <summary>Opens the single writer of a lane. After a failure the engine disposes it and opens it again.</summary>
    Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken);

    /// <summary>Finds an instance, live or finished.</summary>
    Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Lists instances in order of id.</summary>
    Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken);

    /// <summary>The history lines of an instance, oldest first; null when there is no such instance.</summary>
    Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Sub-workflows that an instance has called, in order of id, at most <paramref name="limit"/>.</summary>
    Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken);

    /// <summary>Finds a task, open or ended.</summary>
    Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Lists tasks in order of id. No filter may cost a walk over all of them.</summary>
    Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken);

    /// <summary>Finds a dead letter, open or replayed.</summary>
    Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Lists dead letters in order of id.</summary>
    Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken);

    /// <summary>Events of a stream in order of sequence.</summary>
    Task<IReadOnlyList<EventRow>> ReadEventsAsync(int stream, long afterSequence, int limit, CancellationToken cancellationToken);

    /// <summary>Every definition.</summary>
    Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(CancellationToken cancellationToken);

    /// <summary>Adds a definition, durably; where name and version are taken nothing changes. Returns what is stored then.</summary>
    Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken);

    /// <summary>Removes events and idempotency keys older than the instants given, and dead letters replayed before the last.</summary>
    Task TrimAsync(DateTimeOffset eventsBeforeUtc, DateTimeOffset keysBeforeUtc, DateTimeOffset replayedBeforeUtc, CancellationToken cancellationToken);
}
