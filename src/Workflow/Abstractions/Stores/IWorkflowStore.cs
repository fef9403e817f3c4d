namespace Workflow.Abstractions.Stores;

/// <summary>
/// Durable state of engines. One engine owns a store at a time, or several share it lane by lane
/// (<see cref="Cluster"/>). Reads return committed state only and may run beside flushes. An implementer must not
/// acknowledge before its medium has, must not retry a write by itself (the engine knows which batch is safe to
/// repeat), and must not keep state between calls but connections.
/// </summary>
public interface IWorkflowStore : IAsyncDisposable
{
    /// <summary>Describes the store for people: kind, server, database, schema. Never contains a password.</summary>
    string Description { get; }

    /// <summary>
    /// The shared state of several engines on this store; null if only one engine can own it, which
    /// <see cref="OpenAsync"/> ensures.
    /// </summary>
    IClusterStore? Cluster => null;

    /// <summary>Commits batches of several lanes together; null if every lane commits by itself.</summary>
    ILaneGroup? Group => null;

    /// <summary>Applies the schema, and takes ownership if <see cref="Cluster"/> is null.</summary>
    /// <exception cref="Exceptions.EngineAlreadyRunningException">
    /// Another engine owns the store, and it cannot be shared.
    /// </exception>
    /// <exception cref="Exceptions.StoreUnavailableException">
    /// The store cannot be reached; the message names what was tried.
    /// </exception>
    Task OpenAsync(CancellationToken cancellationToken);

    /// <summary>
    /// The number of lanes that the store has ever had: the highest index plus 1. Their event streams still exist.
    /// </summary>
    Task<int> CountLanesAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Opens the single writer of a lane. After a failure the engine disposes of the writer and opens a new one.
    /// </summary>
    Task<ILaneStore> OpenLaneAsync(LaneAssignment lane, CancellationToken cancellationToken);

    Task<InstanceRow?> FindInstanceAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>
    /// Lists instances in order of id. The engine bounds a query with <see cref="InstanceQuery.MostExamined"/> by the
    /// last row that <see cref="CountInstancesAsync"/> has read; the list then reads no others.
    /// </summary>
    Task<IReadOnlyList<InstanceRow>> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken);

    /// <summary>
    /// Counts the instances that match, among the first <paramref name="most"/> rows of the list: those between the
    /// bounds of the query, in its order. No more rows are read. Rows of another state may be left out before, if that
    /// reads no more rows either.
    /// </summary>
    Task<ListCount> CountInstancesAsync(InstanceQuery query, int most, CancellationToken cancellationToken);

    /// <summary>The history lines of an instance, oldest first; null if there is no such instance.</summary>
    Task<string?> FindHistoryAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Sub-workflows that an instance has called, in order of id, at most <paramref name="limit"/>.</summary>
    Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken);

    Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Lists tasks in order of id. No filter may scan all tasks.</summary>
    Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken);

    /// <summary>
    /// As <see cref="CountInstancesAsync"/>, but rows of another state are always left out before; those of another
    /// assignee may be.
    /// </summary>
    Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken);

    Task<DeadLetterRow?> FindDeadLetterAsync(Guid id, CancellationToken cancellationToken);

    Task<IReadOnlyList<DeadLetterRow>> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken);

    /// <summary>As <see cref="CountInstancesAsync"/>; replayed dead letters may be left out before.</summary>
    Task<ListCount> CountDeadLettersAsync(DeadLetterQuery query, int most, CancellationToken cancellationToken);

    /// <summary>Events of a stream in order of sequence.</summary>
    Task<IReadOnlyList<EventRow>> ReadEventsAsync(
        int stream, long afterSequence, int limit, CancellationToken cancellationToken);

    /// <summary>Definitions with a higher number than <paramref name="after"/>, in order of their numbers.</summary>
    Task<IReadOnlyList<DefinitionRow>> LoadDefinitionsAsync(long after, CancellationToken cancellationToken);

    /// <summary>
    /// Adds a definition durably with the next number, unless name and version are registered already. Returns the
    /// stored definition. A reader that sees a number sees all lower numbers: concurrent additions wait for one
    /// another.
    /// </summary>
    Task<DefinitionRow> AddDefinitionAsync(DefinitionRow definition, CancellationToken cancellationToken);

    /// <summary>
    /// Updates data of lists that commits leave out because of its cost. One node calls it every few seconds.
    /// </summary>
    Task MaintainAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Removes one portion of expired rows: at most <see cref="TrimRequest.Limit"/> rows of each kind, each kind in a
    /// transaction that waits for no other. Tasks and calls of a finished instance are removed before the instance;
    /// events of one flush may stay until all of them have expired. Several nodes may call it at the same time.
    /// </summary>
    /// <returns>Whether more expired rows may exist.</returns>
    Task<bool> TrimAsync(TrimRequest request, CancellationToken cancellationToken);
}
