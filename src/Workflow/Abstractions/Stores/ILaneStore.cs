namespace Workflow.Abstractions.Stores;

/// <summary>The writer of one lane. One call at a time, except that <see cref="FindKeysAsync"/> may run beside a flush.</summary>
public interface ILaneStore : IAsyncDisposable
{
    /// <summary>Takes the lane over (late flushes of an earlier owner are refused from then on) and reads everything that is live in it.</summary>
    /// <exception cref="Exceptions.LaneMovedException">The lane is leased, and not to the node of the assignment.</exception>
    Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Commits a batch: all of it or nothing, in one durable transaction; what is removed goes before what is added. Guards are checked on the server inside the transaction: the lane's
    /// epoch, the batch number (exactly one more than the last), the revision of every instance and the presence of everything removed.
    /// </summary>
    /// <exception cref="FlushException">Nothing was committed, or it is unknown; see <see cref="FlushException.Failure"/>.</exception>
    Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken);

    /// <summary>Which of the idempotency keys are known.</summary>
    Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(IReadOnlyCollection<string> keys, CancellationToken cancellationToken);
}
