using Perfolizer.Mathematics.Cpd;

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Finds the places at which the level of a series changes, by two methods that have little in common: splitting and
/// merging by energy distance and t-test, and ED-PELT, which goes by ranks (Haynes, Fearnhead and Eckley, "A
/// computationally efficient nonparametric approach for changepoint detection", 2017). What both see is a change.
/// Positive series are looked at by their logarithm, so that a change is a ratio.
/// </summary>
public static class ChangePointDetector
{
    /// <summary>The fewest values in which a change can be seen: two levels of two.</summary>
    public const int MinPoints = 2 * EnergyDistance.ShortestLevel;

    /// <summary>Distance of the points of both methods up to which they are one, in values.</summary>
    internal const int Agreement = 2;

    /// <summary>Values looked at together. A wider window sees smaller changes and blurs neighbouring ones.</summary>
    private const int Window = 50;

    /// <summary>Greatest p of the t-test between two levels.</summary>
    private const double MaximumP = 0.0001;

    /// <summary>Smallest change of level worth reporting, as a share of the smaller level.</summary>
    private const double MinimumMagnitude = 0.03;

    /// <summary>
    /// Values further than this many standard deviations from the median of their level are moved there.
    /// </summary>
    private const double Winsorised = 4;

    private const int MaxRounds = 5;

    /// <summary>The points in ascending order; none in a series of fewer than <see cref="MinPoints"/> values.</summary>
    /// <param name="values">The series in order of time; finite numbers.</param>
    /// <exception cref="ArgumentException">A value is not finite.</exception>
    public static IReadOnlyList<ChangePoint> Find(IReadOnlyList<double> values)
    {
        if (values.FirstOrDefault(value => !double.IsFinite(value), 0) is var odd && !double.IsFinite(odd))
        {
            throw new ArgumentException($"The series holds {odd}; every value must be finite.", nameof(values));
        }

        if (values.Count < MinPoints)
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
    /// Outliers are drawn in towards their own level, and levels are what is sought: so again with the levels found,
    /// until they stay. Drawn in towards the median of the whole, everything beyond a large change would be one value,
    /// and a second change there unseen.
    /// </summary>
    private static IReadOnlyList<int> Certain(double[] raw, double[] scaled)
    {
        IReadOnlyList<int> points = [];
        for (var round = 0; round < MaxRounds; round++)
        {
            var found = SplitAndMerge.Find(
                Winsorise(scaled, points), Window, MaximumP,
                (start, split, end) =>
                    Magnitude(Median(raw, start, split), Median(raw, split, end)) >= MinimumMagnitude);
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
            var reach = Winsorised * MedianDeviation.Of(values[start..end], median);
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
