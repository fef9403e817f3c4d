namespace LoadTesting.Core.Load;

/// <summary>When a closed model is said to hide a stall (coordinated omission). All four must hold; null for the first switches the check off.</summary>
public sealed record HiddenStallLimits
{
    /// <summary>A gap without any completion, while work was in flight, counts from this multiple of the median service time. Default 10; null: never look.</summary>
    public double? MedianFactor { get; init; } = 10;

    /// <summary>All such gaps together last at least this share of the run, 0 to 1. Default 0.01, what a p99 ought to see.</summary>
    public double MinimumTimeShare { get; init; } = 0.01;

    /// <summary>Less than this share of the iterations saw them, 0 to 1. Default 0.01: more than that, and the p99 shows the stall.</summary>
    public double MaximumSeenShare { get; init; } = 0.01;

    /// <summary>The stall is hidden where the share of iterations that saw it is below this part of its share of time. Default 0.5; an open
    /// model comes to about 1.</summary>
    public double MaximumSeenRatio { get; init; } = 0.5;
}
