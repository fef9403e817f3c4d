namespace LoadTesting.Core.Load.Events;

/// <summary>
/// What became of waits and events. Events balance: <see cref="Observed"/> = matched + late + duplicate + unmatched +
/// buffered + overflowed.
/// </summary>
public sealed record EventAwaiterCounts
{
    public required long Registered { get; init; }
    public required long Observed { get; init; }

    /// <summary>Waits that got their event in time.</summary>
    public required long Matched { get; init; }

    /// <summary>Waits whose timeout passed.</summary>
    public required long Lost { get; init; }

    /// <summary>Events that came after their wait was lost; each is also one of <see cref="Lost"/>.</summary>
    public required long Late { get; init; }

    /// <summary>Events beyond the first for the same type and id.</summary>
    public required long Duplicate { get; init; }

    /// <summary>Events without a wait until their deadline passed, or whose wait had been withdrawn.</summary>
    public required long Unmatched { get; init; }

    /// <summary>Events with a lower number than one seen before in their stream.</summary>
    public required long OutOfOrder { get; init; }

    /// <summary>Waits withdrawn because their request failed.</summary>
    public required long Withdrawn { get; init; }

    /// <summary>Waits that are still open.</summary>
    public long Pending => Registered - Matched - Lost - Withdrawn;

    /// <summary>Early events whose wait may still be registered.</summary>
    public required long Buffered { get; init; }

    /// <summary>
    /// Events that could not be kept because <see cref="EventAwaiterOptions.MaximumEntries"/> was reached: the counts
    /// above are then incomplete.
    /// </summary>
    public required long Overflowed { get; init; }

    /// <summary>
    /// Events of streams beyond the limit of those tracked; <see cref="OutOfOrder"/> is then incomplete.
    /// </summary>
    public required long Untracked { get; init; }

    /// <summary>The sum of two counts.</summary>
    public EventAwaiterCounts Plus(EventAwaiterCounts other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return new()
        {
            Registered = Registered + other.Registered,
            Observed = Observed + other.Observed,
            Matched = Matched + other.Matched,
            Lost = Lost + other.Lost,
            Late = Late + other.Late,
            Duplicate = Duplicate + other.Duplicate,
            Unmatched = Unmatched + other.Unmatched,
            OutOfOrder = OutOfOrder + other.OutOfOrder,
            Withdrawn = Withdrawn + other.Withdrawn,
            Buffered = Buffered + other.Buffered,
            Overflowed = Overflowed + other.Overflowed,
            Untracked = Untracked + other.Untracked,
        };
    }
}
