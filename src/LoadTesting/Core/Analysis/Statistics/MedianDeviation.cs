namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// A standard deviation that outliers do not widen: from the median of absolute deviations, as if of a normal
/// distribution.
/// </summary>
internal static class MedianDeviation
{
    // 1 over the normal quantile at 75 %.
    private const double DeviationsPerMedian = 1.4826;

    /// <param name="values">At least one.</param>
    /// <param name="median">Their median.</param>
    public static double Of(IEnumerable<double> values, double median) =>
        DeviationsPerMedian * values.Select(value => Math.Abs(value - median)).Median();
}
