namespace LoadTesting.Core.Reporting.Html;

/// <summary>An axis: its title, its marks, and where a value lies on it, from 0 to 1.</summary>
internal sealed record ChartAxis(
    string Title, IReadOnlyList<(double Value, string Label)> Marks, Func<double, double> Place)
{
    private const int Intervals = 4;

    /// <summary>From 0 to at least <paramref name="highest"/>, in steps of 1, 2 or 5.</summary>
    public static ChartAxis FromZero(string title, double highest)
    {
        var rough = (highest > 0 ? highest : 1) / Intervals;
        var power = Math.Pow(10, Math.Floor(Math.Log10(rough)));
        var step = power * (rough / power) switch { <= 1 => 1, <= 2 => 2, <= 5 => 5, _ => 10 };
        var end = Math.Ceiling((highest > 0 ? highest : 1) / step * (1 - 1e-9)) * step;
        var marks =
            Enumerable.Range(0, (int)Math.Round(end / step) + 1).Select(index => (index * step, Label(index * step)));
        return new ChartAxis(title, [.. marks], value => value / end);
    }

    /// <summary>From 0 to exactly <paramref name="end"/>, as time runs.</summary>
    public static ChartAxis UpTo(string title, double end) =>
        new(title, [.. FromZero(title, end).Marks.Where(mark => mark.Value <= end)], value => value / end);

    /// <summary>
    /// Logarithmic, over whole decades around the values; a mark at 1, or at 1, 2 and 5 where the decades are few.
    /// </summary>
    public static ChartAxis Logarithmic(string title, double lowest, double highest)
    {
        var (first, last) = ((int)Math.Floor(Math.Log10(lowest)), (int)Math.Ceiling(Math.Log10(highest)));
        last = Math.Max(last, first + 1);
        double[] multiples = last - first <= 2 ? [1, 2, 5] : [1];
        var marks = Enumerable.Range(first, last - first + 1)
            .SelectMany(decade => multiples.Select(multiple => multiple * Math.Pow(10, decade)))
            .Where(value => value <= Math.Pow(10, last) * (1 + 1e-9));
        return new ChartAxis(
            title, [.. marks.Select(value => (value, Label(value)))],
            value => (Math.Log10(value) - first) / (last - first));
    }

    /// <summary>Percentiles by how few lie above them: 0, 90, 99, 99.9 and 99.99 are equally far apart.</summary>
    /// <param name="nines">Decades shown, 1 to 4.</param>
    public static ChartAxis Percentiles(int nines) => new(
        "percentile",
        [
            (0, "0"), (50, "50"),
            .. new[] { 90, 99, 99.9, 99.99 }.Take(nines)
                .Select(value => (value, value.ToString(CultureInfo.InvariantCulture))),
        ],
        value => -Math.Log10(1 - (value / 100)) / nines);

    private static string Label(double value) =>
        value.ToString(value >= 1 ? "#,0.##" : "0.####", CultureInfo.InvariantCulture);
}
