namespace Workflow.Abstractions.Stores;

/// <summary>Commits batches of several lanes of one engine in one durable transaction.</summary>
public interface ILaneGroup
{
    /// <summary>Commits all batches or none, each with the guards of <see cref="ILaneStore.FlushAsync"/>.</summary>
    /// <param name="flushes">
    /// One or more flushes of lanes of this store, each lane once. None of these lanes has another call in progress.
    /// </param>
    /// <exception cref="FlushException">
    /// Nothing was committed, or the outcome is unknown. The exception does not name the lane that failed.
    /// </exception>
    Task FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken);
}
