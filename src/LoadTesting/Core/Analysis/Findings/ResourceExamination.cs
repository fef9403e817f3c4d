namespace LoadTesting.Core.Analysis.Findings;

/// <summary>The examination of one resource, before the findings are ranked.</summary>
/// <param name="Resource">Its name.</param>
/// <param name="Reason">Why it was not examined; null when it was.</param>
internal sealed record ResourceExamination(string Resource, string? Reason = null)
{
    /// <summary>Whether the system has no such resource, so that no operation can wait for it.</summary>
    public bool IsAbsent { get; init; }

    /// <summary>What an operation spends in it, seconds; measured at the resource.</summary>
    public double Seconds { get; init; }

    /// <summary>Queueing charged to it, seconds per operation.</summary>
    public double QueueingSeconds { get; init; }

    /// <summary>Busy share, 0 to 1.</summary>
    public double? Utilisation { get; init; }

    /// <summary>Operations per second that the resource alone would allow.</summary>
    public double? LimitPerSecond { get; init; }

    /// <summary>Whether the resource is full, so that unmeasured queueing may be charged to it.</summary>
    public bool IsFull { get; init; }

    /// <summary>
    /// The evidence against the resource, which keeps it from being a finding; null if there is none.
    /// </summary>
    public string? CounterEvidence { get; init; }

    /// <summary>The highest confidence that the method of measurement allows.</summary>
    public FindingConfidence Cap { get; init; } = FindingConfidence.High;

    /// <summary>Whether the resource is a finding whatever its share, such as a long stall.</summary>
    public bool IsAlwaysRanked { get; init; }

    /// <summary>A sentence each.</summary>
    public IReadOnlyList<string> Evidence { get; init; } = [];

    /// <summary>What an operation loses to it, seconds.</summary>
    public double Impact => Seconds + QueueingSeconds;
}
