namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Change points by splitting and merging, as Apache Otava does it (Fleming et al., "Hunter: using change point
/// detection to hunt for performance regressions", 2023): overlapping windows are split by energy distance with a weak
/// test, then the least certain points are taken away until all are certain. The t-test is deterministic, where a
/// permutation test is not.
/// </summary>
internal static class SplitAndMerge
{
    private const double Weaker = 10;

    /// <summary>Indices at which new levels begin, ascending.</summary>
    /// <param name="values">The series.</param>
    /// <param name="window">Values looked at together.</param>
    /// <param name="maximumP">Greatest p of a point that stays.</param>
    /// <param name="isLargeEnough">Whether the levels [start, split) and [split, end) differ by enough.</param>
    public static IReadOnlyList<int> Find(
        ReadOnlySpan<double> values, int window, double maximumP, Func<int, int, int, bool> isLargeEnough)
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
                || LevelTest.PValue(values, bounds[candidate.Position - 1], candidate.Index, bounds[candidate.Position])
                    > maximumP)
            {
                return bounds[1..^1];
            }

            bounds.Insert(candidate.Position, candidate.Index);
        }
    }

    /// <summary>Position of the point to take away next: the least certain one, else one that is too small.</summary>
    private static int? Weakest(
        ReadOnlySpan<double> values, List<int> points, double maximumP, Func<int, int, int, bool> isLargeEnough)
    {
        var (uncertain, p) = (-1, maximumP);
        for (var position = 0; position < points.Count; position++)
        {
            var value = LevelTest.PValue(
                values, Start(points, position), points[position], End(points, position, values.Length));
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

    private static int End(List<int> points, int position, int count) =>
        position + 1 == points.Count ? count : points[position + 1];
}
