namespace Workflow.Abstractions.Stores;

/// <summary>
/// The dormant instances of a lane: live instances that only the store holds, because they have waited for long. A
/// flush moves an instance there (<see cref="FlushBatch.Dormant"/>) and back (<see cref="InstanceOrigin.Dormant"/>).
/// The snapshot of the lane leaves them out. Reads return committed rows and may run beside a flush and beside one
/// another. Every read is served by an index: its cost does not grow with the number of dormant instances.
/// </summary>
public interface IDormantInstances
{
    /// <summary>
    /// The dormant instances that the look-up names, each once, in any order. What is not dormant is left out.
    /// </summary>
    Task<IReadOnlyList<InstanceRow>> FindAsync(DormantLookup lookup, CancellationToken cancellationToken);

    /// <summary>
    /// The dormant instances of the lane whose <see cref="DormantWrite.NextDueUtc"/> is at most
    /// <paramref name="until"/>, in the order of that time and the id, from behind <paramref name="after"/> on; at most
    /// <paramref name="limit"/>.
    /// </summary>
    Task<IReadOnlyList<DormantDue>> ReadDueAsync(
        (DateTimeOffset DueUtc, Guid Id)? after, DateTimeOffset until, int limit, CancellationToken cancellationToken);

    /// <summary>
    /// The slots of one partition in which dormant instances wait, in ascending order, from behind
    /// <paramref name="after"/> on; at most <paramref name="limit"/>. A slot occurs once for each wait.
    /// </summary>
    Task<IReadOnlyList<long>> ReadSlotsAsync(
        short partition, long? after, int limit, CancellationToken cancellationToken);
}
