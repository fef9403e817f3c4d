namespace LoadTesting.Core.Results;

/// <summary>
/// A latency distribution in milliseconds. All figures are printed whatever their number, with <see cref="N"/> beside
/// them: below 100 samples p99 is the greatest or nearly so, and says no more than that.
/// </summary>
public sealed record LatencyResult
{
    public required long N { get; init; }

    /// <summary>Exact mean; null without samples.</summary>
    public double? AverageMs { get; init; }

    /// <summary>Median; null without samples.</summary>
    public double? P50Ms { get; init; }

    /// <summary>95th percentile; null without samples.</summary>
    public double? P95Ms { get; init; }

    /// <summary>99th percentile; null without samples.</summary>
    public double? P99Ms { get; init; }

    /// <summary>Exact maximum; null without samples.</summary>
    public double? MaxMs { get; init; }

    /// <summary>
    /// The whole distribution in the sparse form of <see cref="LatencyHistogram.Parse(string)"/>; null if it was not
    /// kept.
    /// </summary>
    public string? Histogram { get; init; }

    /// <summary>The figures of a histogram, and the histogram itself.</summary>
    public static LatencyResult From(LatencyHistogram histogram)
    {
        if (histogram.Count == 0)
        {
            return new LatencyResult { N = 0 };
        }

        return new LatencyResult
        {
            N = histogram.Count,
            AverageMs = histogram.AverageMs,
            P50Ms = histogram.PercentileMs(50),
            P95Ms = histogram.PercentileMs(95),
            P99Ms = histogram.PercentileMs(99),
            MaxMs = histogram.MaxMs,
            Histogram = histogram.ToSparseString(),
        };
    }
}
