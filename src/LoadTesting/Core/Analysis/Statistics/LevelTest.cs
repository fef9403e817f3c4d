using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>Student's t-test of two neighbouring levels.</summary>
internal static class LevelTest
{
    /// <summary>
    /// Two-sided p that [start, split) and [split, end) have one mean, with equal variances. Levels without any noise
    /// differ for certain, or not at all.
    /// </summary>
    public static double PValue(ReadOnlySpan<double> values, int start, int split, int end)
    {
        var left = values[start..split];
        var right = values[split..end];
        // Taken from a value of the series, so that a constant one has no rounding noise.
        var origin = left[0];
        var (leftMean, leftSquares) = Moments(left, origin);
        var (rightMean, rightSquares) = Moments(right, origin);
        if (leftMean.Equals(rightMean))
        {
            return 1;
        }

        double freedom = left.Length + right.Length - 2;
        var error = Math.Sqrt((leftSquares + rightSquares) / freedom * ((1.0 / left.Length) + (1.0 / right.Length)));
        return error > 0 ? 2 * StudentT.CDF(0, 1, freedom, -Math.Abs(leftMean - rightMean) / error) : 0;
    }

    private static (double Mean, double Squares) Moments(ReadOnlySpan<double> values, double origin)
    {
        var mean = 0.0;
        foreach (var value in values)
        {
            mean += (value - origin) / values.Length;
        }

        var squares = 0.0;
        foreach (var value in values)
        {
            squares += (value - origin - mean) * (value - origin - mean);
        }

        return (mean, squares);
    }
}
