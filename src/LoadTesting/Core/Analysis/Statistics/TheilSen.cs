using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// The slope of Theil and Sen: the median of the slopes of all pairs of points, which up to 29 % of wild points cannot
/// move far. Source: P. K. Sen, Estimates of the regression coefficient based on Kendall's tau, JASA 63 (1968); the
/// interval takes the normal approximation of Kendall's statistic with its correction for equal values.
/// </summary>
public static class TheilSen
{
    /// <summary>Fewest points: below, the normal approximation of the interval is not one.</summary>
    public const int MinimumPoints = 10;

    /// <summary>Most points: the work grows with their square (2,000 are 2 million pairs).</summary>
    public const int MaximumPoints = 2_000;

    /// <param name="x">Distinct places, in any order.</param>
    /// <param name="y">
    /// As many values. They should be independent: average or thin out a series whose neighbours resemble each other.
    /// </param>
    /// <param name="confidence">Of the two-sided interval, above 0 and below 1. Default 0.99.</param>
    /// <exception cref="ArgumentException">
    /// Lengths differ, there are too few or too many points, or one is not finite or occurs twice in x.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="confidence"/> is not between 0 and 1.</exception>
    public static TheilSenSlope Fit(IReadOnlyList<double> x, IReadOnlyList<double> y, double confidence = 0.99)
    {
        if (!(confidence > 0 && confidence < 1))
        {
            throw new ArgumentOutOfRangeException(
                nameof(confidence), confidence, $"The confidence is {confidence}; it lies between 0 and 1, e.g. 0.99.");
        }

        if (x.Count != y.Count || x.Count is < MinimumPoints or > MaximumPoints)
        {
            throw new ArgumentException(
                $"There are {x.Count} places and {y.Count} values; a slope needs equally many of both, "
                    + $"{MinimumPoints} to {MaximumPoints}.",
                nameof(y));
        }

        if (!x.All(double.IsFinite) || !y.All(double.IsFinite) || x.Distinct().Count() != x.Count)
        {
            throw new ArgumentException(
                "Every place and value must be finite, and every place must occur once.", nameof(x));
        }

        var slopes = Slopes(x, y);
        var slope = SortedArrayStatistics.Median(slopes);
        var spread = Normal.InvCDF(0, 1, 0.5 + (confidence / 2)) * Math.Sqrt(KendallVariance(y));
        return new TheilSenSlope(
            slope,
            slopes[Rank((slopes.Length - spread) / 2, slopes.Length)],
            slopes[Rank((slopes.Length + spread) / 2, slopes.Length)],
            Enumerable.Range(0, x.Count).Select(i => y[i] - (slope * x[i])).Median(),
            x.Count);
    }

    private static double[] Slopes(IReadOnlyList<double> x, IReadOnlyList<double> y)
    {
        var slopes = new double[x.Count * (x.Count - 1) / 2];
        var next = 0;
        for (var i = 0; i < x.Count; i++)
        {
            for (var j = i + 1; j < x.Count; j++)
            {
                slopes[next++] = (y[j] - y[i]) / (x[j] - x[i]);
            }
        }

        Array.Sort(slopes);
        return slopes;
    }

    /// <summary>Variance of Kendall's S; values that occur t times take t(t-1)(2t+5) off.</summary>
    private static double KendallVariance(IReadOnlyList<double> y)
    {
        var ties = y.GroupBy(value => value).Sum(same => Term(same.Count()));
        return (Term(y.Count) - ties) / 18;
    }

    private static double Term(double n) => n * (n - 1) * ((2 * n) + 5);

    private static int Rank(double rank, int count) => Math.Clamp((int)Math.Floor(rank), 0, count - 1);
}

/// <summary>A robust straight line through points, and how sure its slope is.</summary>
/// <param name="Slope">Median of the slopes of all pairs, in units of y per unit of x.</param>
/// <param name="Low">
/// Lower end of the slope's confidence interval; equal to <paramref name="Slope"/> where all pairs agree.
/// </param>
/// <param name="High">Upper end of the slope's confidence interval.</param>
/// <param name="Intercept">The line's value at x = 0: median of y - slope x.</param>
/// <param name="Count">Points used.</param>
public sealed record TheilSenSlope(double Slope, double Low, double High, double Intercept, int Count)
{
    /// <summary>The line at <paramref name="x"/>.</summary>
    public double At(double x) => Intercept + (Slope * x);
}
