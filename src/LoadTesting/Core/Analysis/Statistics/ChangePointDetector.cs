using MathNet.Numerics.Statistics;
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

    // Standard deviation of a normal distribution over its median absolute deviation.
    private const double DeviationsPerMad = 1.4826;

    private const int MostRounds = 5;

    /// <summary>The points in ascending order; none in a series of fewer than <see cref="Fewest"/> values.</summary>
    /// <param name="values">The series in order of time; finite numbers.</param>
    /// <param name="options">How sure a point has to be; the defaults when null.</param>
    /// <exception cref="ArgumentException">A value is not finite, or an option is out of its range.</exception>
    public static IReadOnlyList<ChangePoint> Find(IReadOnlyList<double> values, ChangePointOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(values);
        options = (options ?? new ChangePointOptions()).Validated();
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
        var certain = Certain(raw, scaled, options);
        var second = EdPeltChangePointDetector.Instance.GetChangePointIndexes(scaled, EnergyDistance.ShortestLevel)
            .Select(last => last + 1).ToList();
        var watched = second.Where(index => certain.All(point => Math.Abs(point - index) > options.Agreement)).ToList();
        var bounds = certain.Concat(watched).Order().Distinct().ToList();
        return [.. bounds.Select((index, position) => Describe(index, position)).OfType<ChangePoint>()];

        ChangePoint? Describe(int index, int position)
        {
            // A certain point is told by the certain levels around it, whatever may be watched within them.
            var around = certain.Contains(index) ? certain : bounds;
            var start = around.LastOrDefault(point => point < index, 0);
            var end = around.FirstOrDefault(point => point > index, raw.Length);
            var (before, after) = (Median(raw, start, index), Median(raw, index, end));
            if (!certain.Contains(index))
            {
                return Magnitude(before, after) >= options.MinimumMagnitude ? new ChangePoint(index, before, after, null, IsAgreed: false) : null;
            }

            var p = LevelTest.PValue(Winsorise(scaled, certain, options.Winsorised), start, index, end);
            return new ChangePoint(index, before, after, p, second.Any(other => Math.Abs(other - index) <= options.Agreement));
        }
    }

    /// <summary>
    /// Outliers are drawn in towards their own level, and levels are what is sought: so again with the levels found, until they stay.
    /// Drawn in towards the median of the whole, everything beyond a large change would be one value, and a second change there unseen.
    /// </summary>
    private static IReadOnlyList<int> Certain(double[] raw, double[] scaled, ChangePointOptions options)
    {
        IReadOnlyList<int> points = [];
        for (var round = 0; round < MostRounds; round++)
        {
            var found = SplitAndMerge.Find(
                Winsorise(scaled, points, options.Winsorised), options.Window, options.MaximumP,
                (start, split, end) => Magnitude(Median(raw, start, split), Median(raw, split, end)) >= options.MinimumMagnitude);
            if (found.SequenceEqual(points))
            {
                break;
            }

            points = found;
        }

        return points;
    }

    private static double[] Winsorise(double[] values, IReadOnlyList<int> points, double deviations)
    {
        var drawn = (double[])values.Clone();
        foreach (var (start, end) in points.Prepend(0).Zip(points.Append(values.Length)))
        {
            var median = Median(values, start, end);
            var reach = deviations * DeviationsPerMad * values[start..end].Select(value => Math.Abs(value - median)).Median();
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
