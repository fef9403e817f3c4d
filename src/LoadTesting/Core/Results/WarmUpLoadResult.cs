namespace LoadTesting.Core.Results;

/// <summary>
/// What was seen of the load that warmed the system up. No other figure of the result contains any of it, and what is
/// wrong here is a reason of the verdict, as it is in the measured part.
/// </summary>
public sealed record WarmUpLoadResult
{
    /// <summary>Operations that began.</summary>
    public required long Operations { get; init; }

    /// <summary>Those that completed.</summary>
    public required long Completed { get; init; }

    /// <summary>Operations whose event never came.</summary>
    public long Lost { get; init; }

    /// <summary>Events that came a second time.</summary>
    public long Duplicate { get; init; }

    /// <summary>
    /// When nothing completed for a second or longer, and for ten median service times of the measured part, although
    /// work was in flight; milliseconds from the first intended start of the warm-up. A system that is not warm yet has
    /// shorter ones.
    /// </summary>
    public IReadOnlyList<StallResult> Stalls { get; init; } = [];

    /// <summary>Failures by code and message, the most frequent first.</summary>
    public IReadOnlyList<ErrorResult> Errors { get; init; } = [];

    /// <summary>The sum of several warm-ups; null if there is none.</summary>
    public static WarmUpLoadResult? SumOf(IEnumerable<WarmUpLoadResult?> parts)
    {
        WarmUpLoadResult[] there = [.. parts.OfType<WarmUpLoadResult>()];
        return there.Length == 0 ? null : new WarmUpLoadResult
        {
            Operations = there.Sum(part => part.Operations),
            Completed = there.Sum(part => part.Completed),
            Lost = there.Sum(part => part.Lost),
            Duplicate = there.Sum(part => part.Duplicate),
            Stalls = [.. there.SelectMany(part => part.Stalls).OrderBy(stall => stall.AtMs)],
            Errors = ErrorResult.SumOf(there.SelectMany(part => part.Errors)),
        };
    }
}
