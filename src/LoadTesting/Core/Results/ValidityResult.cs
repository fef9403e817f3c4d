namespace LoadTesting.Core.Results;

/// <summary>
/// Whether the result may be believed. A failed check makes it invalid, which is another thing than slow; a veto says that the machine was
/// not quiet: the result stands, and is neither half of a pair nor a baseline.
/// </summary>
public sealed record ValidityResult
{
    /// <summary>Whether no check failed. Computed from <see cref="Checks"/>, never stored.</summary>
    public bool Valid => Checks.All(check => check.Outcome != CheckOutcome.Failed);

    /// <summary>Conservation, Little's law, warm-up and leaks.</summary>
    public IReadOnlyList<CheckResult> Checks { get; init; } = [];

    /// <summary>How quiet machine and generator were: steal, throttling, generator processor, schedule lag, collector pauses.</summary>
    public IReadOnlyList<CheckResult> Environment { get; init; } = [];

    /// <summary>The sentences of <see cref="Environment"/> beyond their limits; empty when quiet. Computed, never stored.</summary>
    public IReadOnlyList<string> Vetoes => [.. Environment.Where(check => check.Outcome == CheckOutcome.Failed).Select(check => check.Reason)];

    /// <summary>Instances in flight by the service's own gauge against the client's rate times residence; null where its check is not applicable.</summary>
    public LittlesLawResult? LittlesLaw { get; init; }

    /// <summary>What of the measured part was still warm-up; null where its check is not applicable.</summary>
    public WarmUpResult? WarmUp { get; init; }

    /// <summary>Slope of each resource over a soak; null where the run was too short for one.</summary>
    public IReadOnlyList<LeakResult>? Leaks { get; init; }
}
