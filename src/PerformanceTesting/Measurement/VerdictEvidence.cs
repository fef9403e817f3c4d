namespace PerformanceTesting.Measurement;

/// <summary>All that the verdict of a run rests on.</summary>
public sealed record VerdictEvidence
{
    /// <summary>Value of the trait <c>Category</c>.</summary>
    public required string Tier { get; init; }

    public required LedgerResult Ledger { get; init; }

    /// <summary>What the scenarios themselves show to be wrong.</summary>
    public IReadOnlyList<string> Failures { get; init; } = [];

    public IReadOnlyList<CheckResult> Checks { get; init; } = [];

    public IReadOnlyList<ThresholdResult> Thresholds { get; init; } = [];

    public IReadOnlyList<StallResult> Stalls { get; init; } = [];

    /// <summary>The warm-up; null if there was none.</summary>
    public WarmUpLoadResult? WarmUp { get; init; }

    /// <summary>What speaks against the generator, a sentence each.</summary>
    public IReadOnlyList<string> Generator { get; init; } = [];

    /// <summary>Why the load ended before its time; null if it did not.</summary>
    public string? StopReason { get; init; }

    /// <summary>When the run was interrupted; null if it was not.</summary>
    public string? Partial { get; init; }

    /// <summary>
    /// Where the load saturates the machine by design, what its generator can do; null for every other load.
    /// </summary>
    public SaturationEvidence? Saturation { get; init; }

    /// <summary>What the awaiter counted; null where a sum of scenarios is judged elsewhere.</summary>
    public EventAwaiterCounts? Events { get; init; }

    /// <summary>Whether the transport promises the order of events.</summary>
    public bool EventsAreOrdered { get; init; }

    /// <summary>Why events may still be on their way; null where the last has come.</summary>
    public string? MissingEvents { get; init; }

    /// <summary>What others took from the machine, a sentence each.</summary>
    public IReadOnlyList<string> Host { get; init; } = [];
}
