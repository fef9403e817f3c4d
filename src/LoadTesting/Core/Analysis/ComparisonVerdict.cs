namespace LoadTesting.Core.Analysis;

/// <summary>
/// The word for one run beside one run of the same load: which of throughput, median and 95th percentile differ by more
/// than both runs scatter. Two of the three have to agree, or one has to be beyond <see cref="Strong"/>; where they
/// contradict each other the word is mixed.
/// </summary>
public static class ComparisonVerdict
{
    /// <summary>
    /// Operations that each side needs for a word; with fewer the 95th percentile is of less than ten.
    /// </summary>
    public const long MinimumOperations = 200;

    /// <summary>
    /// Seconds of load that each side needs for a word. Shorter runs of one build differ by a fifth in one of three.
    /// </summary>
    public const double MinimumSeconds = 5;

    /// <summary>The smallest ratio that counts as a difference, however steady both runs are.</summary>
    public const double SmallestMargin = 1.10;

    /// <summary>The margin of figures whose scatter is not recorded.</summary>
    public const double UnknownMargin = 1.25;

    /// <summary>A single figure needs this ratio for a word.</summary>
    public const double Strong = 1.5;

    internal static ComparisonCell Judge(ComparisonCell cell, ScenarioResult first, ScenarioResult other)
    {
        var byOthers = RatioMargin.OfOthers(first, other);
        double? Scatter(Func<TimelinePoint, double?> ofInterval, Func<MergedPart, double?> ofRun) =>
            RatioMargin.Of(first, other, ofInterval, ofRun) * byOthers;
        var judged = cell with
        {
            Throughput = Ratio(
                first.ThroughputPerSecond, other.ThroughputPerSecond,
                Scatter(point => point.Completed, run => run.ThroughputPerSecond)),
            Median = Ratio(
                first.Latency.P50Ms, other.Latency.P50Ms, Scatter(point => point.P50Ms, run => run.Latency.P50Ms))
                ?? Ratio(first.Latency.AverageMs, other.Latency.AverageMs, null),
            P95 = Ratio(
                first.Latency.P95Ms, other.Latency.P95Ms, Scatter(point => point.P95Ms, run => run.Latency.P95Ms)),
        };
        return judged with { Finding = IsTooShort(first, other, judged) ? ComparisonFinding.TooShort : Find(judged) };
    }

    private static bool IsTooShort(ScenarioResult first, ScenarioResult other, ComparisonCell cell) =>
        Math.Min(first.Latency.N, other.Latency.N) < MinimumOperations
        || Math.Min(first.DurationMs, other.DurationMs) < MinimumSeconds * 1000
        || cell.Throughput is not { Value: > 0 } || cell.Median is not { Value: > 0 };

    private static ComparisonRatio? Ratio(double? first, double? other, double? scatter) =>
        first is > 0 && other is >= 0
        ? new ComparisonRatio(other.Value / first.Value, Math.Max(SmallestMargin, scatter ?? UnknownMargin))
        : null;

    private static ComparisonFinding Find(ComparisonCell cell)
    {
        // How much worse each is, as a logarithm: what halves is as far away as what doubles.
        List<(double Worse, double Margin)> changes =
        [
            (-Math.Log(cell.Throughput!.Value), Math.Log(cell.Throughput.Margin)),
            (Math.Log(cell.Median!.Value), Math.Log(cell.Median.Margin)),
        ];
        if (cell.P95 is { Value: > 0 } p95)
        {
            changes.Add((Math.Log(p95.Value), Math.Log(p95.Margin)));
        }

        var (isWorse, isBetter) =
            (IsSignificant(changes), IsSignificant([.. changes.Select(change => (-change.Worse, change.Margin))]));
        if (changes.Any(change => change.Worse > change.Margin) && changes.Any(change => -change.Worse > change.Margin))
        {
            return ComparisonFinding.Mixed;
        }

        // A small change in the other direction is not a finding, but makes the result mixed.
        var smallest = Math.Log(SmallestMargin);
        return (isWorse, isBetter) switch
        {
            (true, _) =>
                changes.Any(change => -change.Worse > smallest) ? ComparisonFinding.Mixed : ComparisonFinding.Slower,
            (_, true) =>
                changes.Any(change => change.Worse > smallest) ? ComparisonFinding.Mixed : ComparisonFinding.Faster,
            _ => ComparisonFinding.Within,
        };
    }

    private static bool IsSignificant(IReadOnlyList<(double Change, double Margin)> changes) =>
        changes.Count(change => change.Change > change.Margin) >= 2
        || changes.Any(change => change.Change > change.Margin && change.Change >= Math.Log(Strong));
}
