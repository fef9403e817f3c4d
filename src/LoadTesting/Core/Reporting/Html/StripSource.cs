namespace LoadTesting.Core.Reporting.Html;

/// <summary>The strips of a scenario, made of its timeline.</summary>
internal sealed class StripSource(ScenarioResult scenario, TimelineResult timeline, int pointsPerColumn)
{
    private const int MaxErrors = 3;

    private static readonly string[] Styles = ["c1", "c3", "c2", "c5", "c4", "c0"];

    private readonly IReadOnlyList<TimelinePoint> _points = timeline.Points;
    private readonly int _columns = (timeline.Points.Count + pointsPerColumn - 1) / pointsPerColumn;

    public static long Unsuccessful(TimelinePoint point) =>
        point.Failed + point.Refused + point.Dropped + point.Unknown;

    /// <summary>All strips in reading order with their names; null where not recorded.</summary>
    public IEnumerable<(string Name, Strip? Strip)> All(int maxWaits) =>
    [
        ("rate", Rate()),
        ("percentiles", Latency()),
        ("spread of latencies (heat map)", HeatMap()),
        ("errors", Errors()),
        ("in flight and backlog", Linear("Waiting", "operations",
            Line("c0", "in flight", point => point.InFlight),
            Line("c1", "backlog of the service", point => point.Backlog))),
        ("lateness of the generator", Linear("Generator", "p99, ms",
            Line("c0", "schedule lag", point => point.ScheduleLagP99Ms),
            Line("c1", "pool delay", point => point.PoolDelayP99Ms))),
        ("processors", Processors()),
        ("waits", Waits(maxWaits)),
    ];

    private Strip? Rate()
    {
        // In an open load all operations that were due are the intended ones, whatever their outcome.
        var isOpen = scenario.Clocks.Count > 0 || _points.Any(point => point.ScheduleLagP99Ms is not null);
        return Linear(
            "Rate", "ops/s",
            isOpen ? PerSecond("c2", "intended", point => point.Started + point.Refused + point.Dropped + point.Unknown)
                : PerSecond("c2", "started", point => point.Started),
            PerSecond("c0", "completed", point => point.Completed));
    }

    /// <summary>Failures by code and message if recorded, and other operations that did not complete.</summary>
    private Strip? Errors()
    {
        var named = _points.SelectMany(point => point.Errors ?? new Dictionary<string, long>())
            .GroupBy(error => error.Key, error => error.Value).OrderByDescending(error => error.Sum()).Take(MaxErrors)
            .Select(error => error.Key).ToList();
        (string Name, Func<TimelinePoint, long> Count)[] kinds =
        [
            .. named.Select(
                name => (name, (Func<TimelinePoint, long>)(point => point.Errors?.GetValueOrDefault(name) ?? 0))),
            (named.Count > 0 ? "operations failed" : "failed", point => point.Failed),
            ("refused", point => point.Refused),
            ("dropped", point => point.Dropped), ("unknown", point => point.Unknown),
        ];
        var there = kinds.Where(kind => _points.Any(point => kind.Count(point) > 0)).Take(Styles.Length).ToList();
        var strip = Linear(
            "Errors", "per s",
            [.. (there.Count > 0 ? there : [("failed", point => point.Failed)])
                .Select((kind, index) => PerSecond(Styles[index], kind.Name, kind.Count))]);
        return there.Count > 0 ? strip : strip! with { Description = "none" };
    }

    private Strip? Latency()
    {
        StripLine[] lines =
        [
            Line("c0", "p50", point => point.P50Ms), Line("c1", "p95", point => point.P95Ms),
            Line("c2", "p99", point => point.P99Ms),
            Line("c3", "maximum", point => point.MaxMs),
        ];
        var values = lines.SelectMany(line => line.Values).OfType<double>().Where(value => value > 0).ToList();
        return values.Count == 0
            ? null
            : new Strip("Latency", "ms", StripScale.Around(values.Min(), values.Max()), _columns, Recorded(lines))
            {
                Description = Describe(lines),
            };
    }

    private Strip? Processors()
    {
        StripLine[] lines =
        [
            Line("c0", "machine", point => 100 * point.Cpu?.Machine),
            Line("c1", "generator", point => 100 * point.Cpu?.Generator),
            Line("c2", "service", point => 100 * point.Cpu?.Service),
            Line("c3", "database", point => 100 * point.Cpu?.Database),
        ];
        var there = Recorded(lines);
        return there.Count == 0
            ? null
            : new Strip("Processors", "% of all", new StripScale(0, 100, false), _columns, there)
            {
                Description = Describe(there),
            };
    }

    private Strip? Waits(int most)
    {
        var names = _points.SelectMany(point => point.Waits ?? new Dictionary<string, double>())
            .GroupBy(wait => wait.Key, wait => wait.Value).OrderByDescending(wait => wait.Sum()).Take(most)
            .Select(wait => wait.Key)
            .ToList();
        return names.Count == 0 ? null : Linear(
            "Waits", "sessions",
            [.. names.Select((name, index) => Line(
                $"c{index}", name, point => point.Waits is { } waits ? waits.GetValueOrDefault(name) : null))]);
    }

    /// <summary>
    /// How latencies are spread, by shade: a shade is a fifth of the way, by logarithm, from one operation to the most.
    /// </summary>
    private Strip? HeatMap()
    {
        var columns = _points.Chunk(pointsPerColumn).Select(Counts).ToList();
        var most = columns.Max(column => column.Max());
        if (most == 0)
        {
            return null;
        }

        var used = Enumerable.Range(0, CoarseLatencies.Count).Where(bucket => columns.Any(column => column[bucket] > 0))
            .ToList();
        var (first, rows) = (used[0], used[^1] - used[0] + 1);
        return new Strip(
            "Spread", "ms", new StripScale(CoarseLatencies.FromMs(first), CoarseLatencies.FromMs(used[^1] + 1), true),
            _columns, [])
        {
            Shades = HeatShades.Draw(columns, first, rows, most),
            MostInCell = most,
            Hidden = new StripLine("most", "most frequent", [.. columns.Select(MostNear)]),
            Description = $"latencies from {Figures.Ms(CoarseLatencies.FromMs(first))} to "
                + $"{Figures.Ms(CoarseLatencies.FromMs(used[^1] + 1))} ms, "
                + $"darker where more operations completed, {Figures.Count(most)} in the darkest cell",
        };
    }

    /// <summary>
    /// The middle, by logarithm, of the bucket that most operations fell into; null where none completed.
    /// </summary>
    private static double? MostNear(long[] counts)
    {
        var bucket = Array.IndexOf(counts, counts.Max());
        return counts[bucket] == 0
            ? null : Math.Sqrt(CoarseLatencies.FromMs(bucket) * CoarseLatencies.FromMs(bucket + 1));
    }

    private static long[] Counts(IReadOnlyList<TimelinePoint> points)
    {
        var sum = new long[CoarseLatencies.Count];
        foreach (var point in points.Where(point => point.Latencies is not null))
        {
            var counts = CoarseLatencies.Parse(point.Latencies!);
            for (var bucket = 0; bucket < sum.Length; bucket++)
            {
                sum[bucket] += counts[bucket];
            }
        }

        return sum;
    }

    private Strip? Linear(string name, string unit, params IReadOnlyList<StripLine> lines)
    {
        var there = Recorded(lines);
        return there.Count == 0
            ? null
            : new Strip(name, unit, StripScale.To(there.SelectMany(line => line.Values).Max() ?? 0), _columns, there)
            {
                Description = Describe(there),
            };
    }

    private static IReadOnlyList<StripLine> Recorded(IReadOnlyList<StripLine> lines) =>
        [.. lines.Where(line => line.Values.Any(value => value is not null))];

    private static string Describe(IReadOnlyList<StripLine> lines) => string.Join("; ", Recorded(lines).Select(line =>
        $"{line.Name} {Figures.Counter(Rounded(line.Values.Min()))} to {Figures.Counter(Rounded(line.Values.Max()))}"));

    private static double? Rounded(double? value) => value is { } number ? Math.Round(number, 3) : null;

    private StripLine Line(string style, string name, Func<TimelinePoint, double?> value) =>
        new(style, name, [.. _points.Chunk(pointsPerColumn).Select(part => part.Max(value))]);

    /// <summary>Completions per second and p95 in ms of each column.</summary>
    public IEnumerable<(double? Rate, double? P95Ms)> RatesAndP95() =>
        PerSecond("", "", point => point.Completed).Values.Zip(Line("", "", point => point.P95Ms).Values);

    private StripLine PerSecond(string style, string name, Func<TimelinePoint, long> count) => new(
        style, name,
        [
            .. Enumerable.Range(0, _columns)
                .Select(column =>
                    (double?)timeline.PerSecond(column * pointsPerColumn, pointsPerColumn, count, scenario.DurationMs)),
        ]);
}
