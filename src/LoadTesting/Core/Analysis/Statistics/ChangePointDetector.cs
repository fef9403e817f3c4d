using MathNet.Numerics.Distributions;
using Perfolizer.Mathematics.Cpd;

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Finds the places at which the level of a series changes, by two methods that have little in common: splitting and merging by energy
/// distance and t-test, and ED-PELT, which goes by ranks (Haynes, Fearnhead and Eckley, "A computationally efficient nonparametric approach
/// for changepoint detection", 2017). What both see is a change. Positive series are looked at by their logarithm, so that a
/// change is a ratio.
/// </summary>
public static class ChangePointDetector
{
    /// <summary>Fewest values in which a change can be seen: two levels of two.</summary>
    public const int Fewest = 2 * EnergyDistance.ShortestLevel;

    /// <summary>Distance of the points of both methods up to which they are one, in values.</summary>
    internal const int Agreement = 2;

    /// <summary>Values looked at together. A wider window sees smaller changes and blurs neighbouring ones.</summary>
    private const int Window = 50;

    /// <summary>Greatest p of the t-test between two levels.</summary>
    private const double MaximumP = 0.0001;

    /// <summary>Smallest change of level worth reporting, as a share of the smaller level.</summary>
    private const double MinimumMagnitude = 0.03;

    /// <summary>Values further than this many standard deviations from the median of their level are moved there.</summary>
    private const double Winsorised = 4;

    // Standard deviation of a normal distribution over its median absolute deviation.
    private const double DeviationsPerMad = 1.4826;

    private const int MostRounds = 5;

    /// <summary>The points in ascending order; none in a series of fewer than <see cref="Fewest"/> values.</summary>
    /// <param name="values">The series in order of time; finite numbers.</param>
    /// <exception cref="ArgumentException">A value is not finite.</exception>
    public static IReadOnlyList<ChangePoint> Find(IReadOnlyList<double> values)
    {
        ArgumentNullException.ThrowIfNull(values);
        if (values.FirstOrDefault(value => !double.IsFinite(value), 0) is var odd && !double.IsFinite(odd))
        {
            throw new ArgumentException($"The series holds {odd}; every value must be finite.", nameof(values));
        }

        if (values.Count < Fewest)
        {
            return [];
        }

        double[] raw = [.. values];
        var scaled = raw.All(value => value > 0) ? Array.ConvertAll(raw, Math.Log) : raw;
        var certain = Certain(raw, scaled);
        var second = EdPeltChangePointDetector.Instance.GetChangePointIndexes(scaled, EnergyDistance.ShortestLevel)
            .Select(last => last + 1).ToList();
        var watched = second.Where(index => certain.All(point => Math.Abs(point - index) > Agreement)).ToList();
        var bounds = certain.Concat(watched).Order().Distinct().ToList();
        return [.. bounds.Select((index, position) => Describe(index, position)).OfType<ChangePoint>()];

        ChangePoint? Describe(int index, int position)
        {
            // A certain point is described by the certain levels around it, whatever may be watched within them.
            var around = certain.Contains(index) ? certain : bounds;
            var start = around.LastOrDefault(point => point < index, 0);
            var end = around.FirstOrDefault(point => point > index, raw.Length);
            var (before, after) = (Median(raw, start, index), Median(raw, index, end));
            if (!certain.Contains(index))
            {
                return Magnitude(before, after) >= MinimumMagnitude
                    ? new ChangePoint(index, before, after, null, IsAgreed: false)
                    : null;
            }

            var p = LevelTest.PValue(Winsorise(scaled, certain), start, index, end);
            return new ChangePoint(index, before, after, p, second.Any(other => Math.Abs(other - index) <= Agreement));
        }
    }

    /// <summary>
    /// Outliers are drawn in towards their own level, and levels are what is sought: so again with the levels found, until they stay.
    /// Drawn in towards the median of the whole, everything beyond a large change would be one value, and a second change there unseen.
    /// </summary>
    private static IReadOnlyList<int> Certain(double[] raw, double[] scaled)
    {
        IReadOnlyList<int> points = [];
        for (var round = 0; round < MostRounds; round++)
        {
            var found = SplitAndMerge.Find(
                Winsorise(scaled, points), Window, MaximumP,
                (start, split, end) => Magnitude(Median(raw, start, split), Median(raw, split, end)) >= MinimumMagnitude);
            if (found.SequenceEqual(points))
            {
                break;
            }

            points = found;
        }

        return points;
    }

    private static double[] Winsorise(double[] values, IReadOnlyList<int> points)
    {
        var drawn = (double[])values.Clone();
        foreach (var (start, end) in points.Prepend(0).Zip(points.Append(values.Length)))
        {
            var median = Median(values, start, end);
            var reach = Winsorised * DeviationsPerMad * values[start..end].Select(value => Math.Abs(value - median)).Median();
            // Half of the values are equal: a count without noise, in which any other value is real.
            for (var index = start; index < end && reach > 0; index++)
            {
                drawn[index] = Math.Clamp(values[index], median - reach, median + reach);
            }
        }

        return drawn;
    }

    private static double Median(double[] values, int start, int end) => values[start..end].Median();

    private static double Magnitude(double before, double after)
    {
        var smaller = Math.Min(Math.Abs(before), Math.Abs(after));
        return before.Equals(after) ? 0 : smaller > 0 ? Math.Abs(after - before) / smaller : double.PositiveInfinity;
    }
}

/// <summary>A place in a series from which on its level is another.</summary>
/// <param name="Index">Index of the first value of the new level.</param>
/// <param name="Before">Median of the level before, as far back as the point before this one.</param>
/// <param name="After">Median of the level from here on, as far as the next point.</param>
/// <param name="PValue">Two-sided p of the t-test between the two; null when only the second method sees the point.</param>
/// <param name="IsAgreed">Whether both methods see it; a point that only one sees is a reason to watch, not to act.</param>
public sealed record ChangePoint(int Index, double Before, double After, double? PValue, bool IsAgreed)
{
    /// <summary>The new level over the old; NaN when the old is 0.</summary>
    public double Ratio => Before == 0 ? double.NaN : After / Before;
}

/// <summary>
/// Change points by splitting and merging, as Apache Otava does it (Fleming et al., "Hunter: using change point detection to hunt for
/// performance regressions", 2023): overlapping windows are split by energy distance with a weak test, then the least certain points are
/// taken away until all are certain. The t-test is deterministic, where a permutation test is not.
/// </summary>
internal static class SplitAndMerge
{
    private const double Weaker = 10;

    /// <summary>Indices at which new levels begin, ascending.</summary>
    /// <param name="values">The series.</param>
    /// <param name="window">Values looked at together.</param>
    /// <param name="maximumP">Greatest p of a point that stays.</param>
    /// <param name="isLargeEnough">Whether the levels [start, split) and [split, end) differ by enough.</param>
    public static IReadOnlyList<int> Find(ReadOnlySpan<double> values, int window, double maximumP, Func<int, int, int, bool> isLargeEnough)
    {
        var points = Split(values, window, maximumP * Weaker);
        while (Weakest(values, points, maximumP, isLargeEnough) is { } weakest)
        {
            points.RemoveAt(weakest);
        }

        return points;
    }

    private static List<int> Split(ReadOnlySpan<double> values, int window, double maximumP)
    {
        var points = new SortedSet<int>();
        for (var start = 0; start < values.Length;)
        {
            var found = SplitWindow(values, start, Math.Min(start + window, values.Length), maximumP);
            points.UnionWith(found);
            start = Math.Max(found.Count > 0 ? found[^1] : 0, start + (window / 2));
        }

        return [.. points];
    }

    private static List<int> SplitWindow(ReadOnlySpan<double> values, int start, int end, double maximumP)
    {
        var energy = new EnergyDistance(values, start, end);
        List<int> bounds = [start, end];
        while (true)
        {
            (int Position, int Index, double Statistic)? best = null;
            for (var part = 0; part + 1 < bounds.Count; part++)
            {
                if (energy.BestSplit(bounds[part], bounds[part + 1]) is { } split
                    && (best is null || split.Statistic > best.Value.Statistic))
                {
                    best = (part + 1, split.Index, split.Statistic);
                }
            }

            if (best is not { } candidate
                || LevelTest.PValue(values, bounds[candidate.Position - 1], candidate.Index, bounds[candidate.Position]) > maximumP)
            {
                return bounds[1..^1];
            }

            bounds.Insert(candidate.Position, candidate.Index);
        }
    }

    /// <summary>Position of the point to take away next: the least certain one, else one that is too small.</summary>
    private static int? Weakest(ReadOnlySpan<double> values, List<int> points, double maximumP, Func<int, int, int, bool> isLargeEnough)
    {
        var (uncertain, p) = (-1, maximumP);
        for (var position = 0; position < points.Count; position++)
        {
            var value = LevelTest.PValue(values, Start(points, position), points[position], End(points, position, values.Length));
            if (value > p)
            {
                (uncertain, p) = (position, value);
            }
        }

        if (uncertain >= 0)
        {
            return uncertain;
        }

        var count = values.Length;
        var small = Enumerable.Range(0, points.Count)
            .Where(position => !isLargeEnough(Start(points, position), points[position], End(points, position, count)));
        return small.Select(position => (int?)position).FirstOrDefault();
    }

    private static int Start(List<int> points, int position) => position == 0 ? 0 : points[position - 1];

    private static int End(List<int> points, int position, int count) => position + 1 == points.Count ? count : points[position + 1];
}

/// <summary>
/// The place where a series splits best by energy distance, which sees any change of distribution and not only of the mean
/// (Matteson and James, "A nonparametric approach for multiple change point analysis of multivariate data", 2014).
/// </summary>
internal sealed class EnergyDistance
{
    /// <summary>Values that a level has at least: one may be an outlier.</summary>
    public const int ShortestLevel = 2;

    private readonly int _offset;

    // _sums[i, j] = sum of the distances between the values before i and those before j: a rectangle is four look-ups.
    private readonly double[,] _sums;

    /// <param name="values">The whole series.</param>
    /// <param name="start">First value looked at.</param>
    /// <param name="end">The one after the last.</param>
    public EnergyDistance(ReadOnlySpan<double> values, int start, int end)
    {
        _offset = start;
        var count = end - start;
        _sums = new double[count + 1, count + 1];
        for (var row = 0; row < count; row++)
        {
            for (var column = 0; column < count; column++)
            {
                _sums[row + 1, column + 1] = Math.Abs(values[start + row] - values[start + column])
                    + _sums[row, column + 1] + _sums[row + 1, column] - _sums[row, column];
            }
        }
    }

    /// <summary>
    /// The split of [start, end) with the greatest statistic, also against a part of what follows:
    /// Q = mn/(m+n) (2/(mn) sum|x-y| - 2/(m(m-1)) sum|x-x'| - 2/(n(n-1)) sum|y-y'|). Null when the part is too short.
    /// </summary>
    public (int Index, double Statistic)? BestSplit(int start, int end)
    {
        (int Index, double Statistic)? best = null;
        for (var split = start + ShortestLevel; split <= end - ShortestLevel; split++)
        {
            for (var stop = split + ShortestLevel; stop <= end; stop++)
            {
                var statistic = Statistic(start - _offset, split - _offset, stop - _offset);
                if (best is null || statistic > best.Value.Statistic)
                {
                    best = (split, statistic);
                }
            }
        }

        return best;
    }

    private double Statistic(int start, int split, int stop)
    {
        double m = split - start;
        double n = stop - split;
        // Sums over a square count each pair twice, as the factors of the two inner terms do.
        return m * n / (m + n) * (
            (2 / (m * n) * Sum(start, split, split, stop))
            - (Sum(start, split, start, split) / (m * (m - 1)))
            - (Sum(split, stop, split, stop) / (n * (n - 1))));
    }

    private double Sum(int top, int bottom, int left, int right) =>
        _sums[bottom, right] - _sums[top, right] - _sums[bottom, left] + _sums[top, left];
}

/// <summary>Student's t-test of two neighbouring levels.</summary>
internal static class LevelTest
{
    /// <summary>
    /// Two-sided p that [start, split) and [split, end) have one mean, with equal variances. Levels without any noise differ for certain,
    /// or not at all.
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
