namespace LoadTesting.Core.Analysis;

/// <summary>How a result stands to the one of the first column.</summary>
public enum ComparisonFinding
{
    /// <summary>It is the one that others are held against.</summary>
    First,

    /// <summary>One of the two is missing.</summary>
    Missing,

    /// <summary>The two are unlike; no ratio is given.</summary>
    NotRanked,

    /// <summary>Alike, but fewer operations than <see cref="Comparison.MinimumOperations"/>: ratios without a word.</summary>
    TooFew,

    /// <summary>Throughput and latency are within <see cref="Comparison.Margin"/>.</summary>
    Within,

    /// <summary>At least one of throughput and latency is better by more than the margin, none is worse.</summary>
    Faster,

    /// <summary>At least one of throughput and latency is worse by more than the margin, none is better.</summary>
    Slower,

    /// <summary>One is better, the other worse.</summary>
    Mixed,
}
