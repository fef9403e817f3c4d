using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>How much single runs of one scenario differ.</summary>
/// <param name="PerOperation">In the unit of the metric.</param>
/// <param name="Runs">Stored runs that it was recorded from; 0 where too few are stored, and it is the default.</param>
internal readonly record struct StoredNoise(double PerOperation, int Runs)
{
    private const int MinRuns = 3;
    private const double Level = 0.99;

    /// <summary>
    /// Half of the one-sided 99 % prediction interval for one more run, by the median of absolute deviations: a stored
    /// run of another level, as of an older build, does not widen it. With fewer than three runs the default, or what
    /// the two differ by.
    /// </summary>
    /// <param name="stored">At least one.</param>
    /// <param name="share">The default, as a share of the median.</param>
    public static StoredNoise Of(IReadOnlyList<double> stored, double share)
    {
        var median = stored.Median();
        if (stored.Count < MinRuns)
        {
            return new(Math.Max(share * median, stored.Max() - median), 0);
        }

        return new(
            StudentT.InvCDF(0, 1, stored.Count - 1, Level) * MedianDeviation.Of(stored, median)
                * Math.Sqrt(1 + (1.0 / stored.Count)), stored.Count);
    }

    public StoredNoise AtLeast(double perOperation) =>
        this with { PerOperation = Math.Max(PerOperation, perOperation) };
}
