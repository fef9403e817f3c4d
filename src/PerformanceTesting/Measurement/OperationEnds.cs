namespace PerformanceTesting.Measurement;

/// <summary>The operations that did not complete, by where the system says that they ended or still are.</summary>
/// <param name="Failed">Ended in failure.</param>
/// <param name="Cancelled">Were cancelled.</param>
/// <param name="DeadLettered">Their message was dead-lettered.</param>
/// <param name="Waiting">Still wait, as intended.</param>
/// <param name="Suspended">Are suspended.</param>
public sealed record OperationEnds(long Failed, long Cancelled, long DeadLettered, long Waiting, long Suspended)
{
    /// <summary>Optimistic conflicts that the system resolved by repeating work.</summary>
    public long RuntimeConflicts { get; init; }

    /// <summary>All of these operations.</summary>
    public long All => Failed + Cancelled + DeadLettered + Waiting + Suspended;
}
