namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// A confidence interval of a percentile from one sample, without assuming a distribution: the order statistics whose
/// ranks lie so many standard deviations of the binomial around n p (G. J. Hahn and W. Q. Meeker, Statistical
/// Intervals, 5.2). It is of operations that do not depend on each other, in one run: runs differ by more than that.
/// </summary>
public static class PercentileInterval
{
    /// <summary>Two-sided 95 % of the normal distribution.</summary>
    private const double Deviations = 1.959964;

    /// <summary>
    /// Both ends in milliseconds, for 95 %. An end that would lie beyond the sample is null: nothing bounds the
    /// percentile there.
    /// </summary>
    /// <param name="latencies">The sample.</param>
    /// <param name="percentile">More than 0 and less than 100.</param>
    /// <exception cref="ArgumentOutOfRangeException">The percentile is not between 0 and 100.</exception>
    public static (double? LowMs, double? HighMs) Of(LatencyHistogram latencies, double percentile)
    {
        if (percentile is not (> 0 and < 100))
        {
            throw new ArgumentOutOfRangeException(
                nameof(percentile), percentile, $"The percentile must lie between 0 and 100, not {percentile}.");
        }

        var (n, share) = (latencies.Count, percentile / 100);
        var spread = Deviations * Math.Sqrt(n * share * (1 - share));
        var (low, high) = ((long)Math.Floor((n * share) - spread), (long)Math.Ceiling((n * share) + spread) + 1);
        return (low < 1 ? null : At(low), high > n ? null : At(high));

        // Half a rank less: nearest rank rounds up.
        double At(long rank) => latencies.PercentileMs(100 * (rank - 0.5) / n);
    }
}
