namespace Workflow.Abstractions.Stores;

/// <summary>
/// The writer of one lane. One call at a time, except that <see cref="FindKeysAsync"/>,
/// <see cref="ReadInstancesAsync"/> and reads of <see cref="Dormant"/> may run beside a flush.
/// </summary>
public interface ILaneStore : IAsyncDisposable
{
    /// <summary>
    /// Takes over the lane, so that late flushes of an earlier owner are refused, and reads its live state without the
    /// instances.
    /// </summary>
    /// <exception cref="Exceptions.LaneMovedException">
    /// The lane is leased to another node than that of the assignment.
    /// </exception>
    Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Commits a batch atomically in one durable transaction; removals precede additions. Guards are checked on the
    /// server inside the transaction: the lane's epoch, the batch number (exactly one more than the last), what every
    /// instance replaces with its revision, and the presence of everything removed.
    /// </summary>
    /// <exception cref="FlushException">
    /// Nothing was committed, or the outcome is unknown; see <see cref="FlushException.Failure"/>.
    /// </exception>
    Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken);

    /// <summary>
    /// The committed rows of the live instances that are not dormant, in any order, in some partitions of the lane. The
    /// lane was loaded before.
    /// </summary>
    Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
        IReadOnlyCollection<short> partitions, CancellationToken cancellationToken);

    /// <summary>The instances that only the store holds.</summary>
    IDormantInstances Dormant { get; }

    /// <summary>The stored rows of those idempotency keys that exist.</summary>
    Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
        IReadOnlyCollection<string> keys, CancellationToken cancellationToken);
}
