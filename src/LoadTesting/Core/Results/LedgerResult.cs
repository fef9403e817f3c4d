namespace LoadTesting.Core.Results;

/// <summary>
/// Double-entry account of a scenario: every requested operation ends in exactly one place. A result is valid only if
/// the account balances exactly.
/// </summary>
public sealed record LedgerResult
{
    /// <summary>Operations that the load model requested.</summary>
    public required long Requested { get; init; }

    /// <summary>Not sent because the generator could not start them in time.</summary>
    public long Dropped { get; init; }

    /// <summary>Explicitly refused by the system (e.g. too busy), without effect.</summary>
    public long Refused { get; init; }

    /// <summary>Sent, but the answer was lost: whether they started is unknown.</summary>
    public long Unknown { get; init; }

    /// <summary>Accepted by the system.</summary>
    public required long Started { get; init; }

    public required long Completed { get; init; }

    /// <summary>Ended in failure.</summary>
    public long Failed { get; init; }

    public long Cancelled { get; init; }

    /// <summary>Poison messages, dead-lettered.</summary>
    public long DeadLettered { get; init; }

    /// <summary>Still waiting at the end, as intended.</summary>
    public long Waiting { get; init; }

    public long Suspended { get; init; }

    /// <summary>Neither ended nor waiting as intended at the deadline.</summary>
    public long Stuck { get; init; }

    /// <summary>Optimistic conflicts that the system resolved by repeating work.</summary>
    public long RuntimeConflicts { get; init; }

    /// <summary>Completions the system recorded whose event never arrived.</summary>
    public long Lost { get; init; }

    /// <summary>Events that arrived more than once.</summary>
    public long Duplicate { get; init; }

    /// <summary>Events that arrived after their deadline.</summary>
    public long Late { get; init; }

    /// <summary>Events without a wait.</summary>
    public long Unmatched { get; init; }

    /// <summary>
    /// Events with a lower number than one seen before in their stream; a fault where the transport promises order.
    /// </summary>
    public long OutOfOrder { get; init; }

    /// <summary>
    /// Events of streams beyond the limit of those tracked; <see cref="OutOfOrder"/> is then incomplete.
    /// </summary>
    public long Untracked { get; init; }

    /// <summary>Events that could not be kept for their wait; the counts of events are then incomplete.</summary>
    public long Overflowed { get; init; }

    /// <summary>
    /// Whether both equations hold and nothing was lost or duplicated. Computed from the counts, never stored.
    /// </summary>
    public bool Balanced => Violations().Count == 0;

    /// <summary>Each violated rule with its numbers; empty when the account balances.</summary>
    public IReadOnlyList<string> Violations()
    {
        var violations = new List<string>();
        var sent = checked(Dropped + Refused + Unknown + Started);
        if (Requested != sent)
        {
            violations.Add($"requested {Requested} differs by {Requested - sent} from dropped {Dropped} + refused {Refused} + " +
                $"unknown {Unknown} + started {Started} = {sent}");
        }

        var ended = checked(Completed + Failed + Cancelled + DeadLettered + Waiting + Suspended + Stuck);
        if (Started != ended)
        {
            violations.Add($"started {Started} differs by {Started - ended} from completed {Completed} + failed {Failed} + " +
                $"cancelled {Cancelled} + deadLettered {DeadLettered} + waiting {Waiting} + suspended {Suspended} + stuck "
                + $"{Stuck} = {ended}");
        }

        AddIfAny(violations, Lost, "lost");
        AddIfAny(violations, Duplicate, "duplicate");
        AddNegatives(violations);
        return violations;
    }

    /// <summary>The sum of each count.</summary>
    public static LedgerResult SumOf(IReadOnlyList<LedgerResult> parts)
    {
        return new LedgerResult
        {
            Requested = Sum(part => part.Requested),
            Dropped = Sum(part => part.Dropped),
            Refused = Sum(part => part.Refused),
            Unknown = Sum(part => part.Unknown),
            Started = Sum(part => part.Started),
            Completed = Sum(part => part.Completed),
            Failed = Sum(part => part.Failed),
            Cancelled = Sum(part => part.Cancelled),
            DeadLettered = Sum(part => part.DeadLettered),
            Waiting = Sum(part => part.Waiting),
            Suspended = Sum(part => part.Suspended),
            Stuck = Sum(part => part.Stuck),
            RuntimeConflicts = Sum(part => part.RuntimeConflicts),
            Lost = Sum(part => part.Lost),
            Duplicate = Sum(part => part.Duplicate),
            Late = Sum(part => part.Late),
            Unmatched = Sum(part => part.Unmatched),
            OutOfOrder = Sum(part => part.OutOfOrder),
            Untracked = Sum(part => part.Untracked),
            Overflowed = Sum(part => part.Overflowed),
        };

        long Sum(Func<LedgerResult, long> count) => checked(parts.Sum(count));
    }

    private static void AddIfAny(List<string> violations, long count, string name)
    {
        if (count > 0)
        {
            violations.Add($"{name} is {count} and must be 0");
        }
    }

    private void AddNegatives(List<string> violations)
    {
        foreach (var (name, count) in Counts())
        {
            if (count < 0)
            {
                violations.Add($"{name} is {count}; a count cannot be negative");
            }
        }
    }

    /// <summary>All counts by their JSON names, in reading order.</summary>
    public IReadOnlyList<KeyValuePair<string, long>> Counts() =>
    [
        new("requested", Requested), new("dropped", Dropped), new("refused", Refused), new("unknown", Unknown),
        new("started", Started),
        new("completed", Completed), new("failed", Failed), new("cancelled", Cancelled),
        new("deadLettered", DeadLettered),
        new("waiting", Waiting), new("suspended", Suspended), new("stuck", Stuck),
        new("runtimeConflicts", RuntimeConflicts),
        new("lost", Lost), new("duplicate", Duplicate), new("late", Late), new("unmatched", Unmatched),
        new("outOfOrder", OutOfOrder),
        new("untracked", Untracked), new("overflowed", Overflowed),
    ];
}
