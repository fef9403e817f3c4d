namespace LoadTesting.Core.Analysis;

/// <summary>The result of comparing a result with that of the first column.</summary>
public enum ComparisonFinding
{
    /// <summary>The result that others are compared with.</summary>
    First,

    /// <summary>One of the two is missing.</summary>
    Missing,

    /// <summary>The two are unlike; no ratio is given.</summary>
    NotRanked,

    /// <summary>
    /// Alike, but less than <see cref="ComparisonVerdict.MinimumOperations"/> or
    /// <see cref="ComparisonVerdict.MinimumSeconds"/>: ratios without a word.
    /// </summary>
    TooShort,

    /// <summary>No difference is larger than the margins.</summary>
    Within,

    /// <summary>Better by more than the margins, and nothing is worse.</summary>
    Faster,

    /// <summary>Worse by more than the margins, and nothing is better.</summary>
    Slower,

    /// <summary>Throughput, median and 95th percentile disagree: at least one is better, at least one worse.</summary>
    Mixed,
}
