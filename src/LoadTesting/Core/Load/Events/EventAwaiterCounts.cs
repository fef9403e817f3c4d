namespace LoadTesting.Core.Load.Events;

/// <summary>
/// What became of waits and events. Waits balance: <see cref="Registered"/> = matched + lost + withdrawn + pending. Events balance:
/// <see cref="Observed"/> = matched + late + duplicate + unmatched + buffered + overflowed.
/// </summary>
public sealed record EventAwaiterCounts
{
    /// <summary>Waits begun.</summary>
    public required long Registered { get; init; }

    /// <summary>Events seen.</summary>
    public required long Observed { get; init; }

    /// <summary>Waits that got their event in time.</summary>
    public required long Matched { get; init; }

    /// <summary>Waits whose timeout passed.</summary>
    public required long Lost { get; init; }

    /// <summary>Events that came after their wait was lost; each is also one of <see cref="Lost"/>.</summary>
    public required long Late { get; init; }

    /// <summary>Events beyond the first for the same type and id.</summary>
    public required long Duplicate { get; init; }

    /// <summary>Events that nobody asked for before their deadline passed, or whose wait had been withdrawn.</summary>
    public required long Unmatched { get; init; }

    /// <summary>Events with a lower number than one seen before in their stream.</summary>
    public required long OutOfOrder { get; init; }

    /// <summary>Waits given up because their request failed.</summary>
    public required long Withdrawn { get; init; }

    /// <summary>Waits that are still open.</summary>
    public required long Pending { get; init; }

    /// <summary>Early events that may still be asked for.</summary>
    public required long Buffered { get; init; }

    /// <summary>Events that could not be kept because <see cref="EventAwaiterOptions.MaximumEntries"/> was reached: the counts above are then incomplete.</summary>
    public required long Overflowed { get; init; }

    /// <summary>Events whose stream was one too many to follow; <see cref="OutOfOrder"/> is then incomplete.</summary>
    public required long Untracked { get; init; }
}
