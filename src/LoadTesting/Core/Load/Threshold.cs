namespace LoadTesting.Core.Load;

/// <summary>
/// A rule on the result of a scenario or of one of its steps. With fewer samples than it needs it does not hold: a
/// percentile of nothing is not a pass. An upper limit of a percentile counts as missed anyway if at least ten samples,
/// and more than its share, are beyond it.
/// </summary>
public sealed class Threshold
{
    /// <summary>Samples that a percentile needs beyond it.</summary>
    private const int SamplesInTail = 10;

    private static readonly Dictionary<string, Metric> s_metrics = new(StringComparer.Ordinal)
    {
        ["averageMs"] = new(ThresholdKind.Times, 1, subject => subject.Latency.AverageMs),
        ["p50Ms"] = Percentile(50),
        ["p90Ms"] = Percentile(90),
        ["p95Ms"] = Percentile(95),
        ["p99Ms"] = Percentile(99),
        ["p999Ms"] = Percentile(99.9),
        ["maxMs"] = new(ThresholdKind.Times, 1, subject => subject.Latency.MaxMs),
        ["throughputPerSecond"] = new(ThresholdKind.Times, 1, subject => subject.ThroughputPerSecond),
        ["completed"] = Count(subject => subject.Latency.Count),
        ["failed"] = Count(subject => subject.Failed),
        ["dropped"] = Count(subject => subject.Dropped),
        ["failedShare"] = Count(subject => (double)subject.Failed / subject.Ended),
    };

    private readonly Func<ThresholdSubject, double?> _measure;
    private readonly Func<ThresholdSubject, bool> _holds;
    private readonly Func<LatencyHistogram, bool> _isSurelyMissed;
    private readonly bool _countsAll;
    private readonly long? _givenMinimum;

    private Threshold(
        string metric, string limit, ThresholdKind kind, string? stepName, long minimumCount, bool countsAll,
        Func<ThresholdSubject, double?> measure, Func<ThresholdSubject, bool> holds,
        Func<LatencyHistogram, bool> isSurelyMissed,
        long? givenMinimum = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(metric);
        if (minimumCount < 1)
        {
            throw new ArgumentOutOfRangeException(
                nameof(minimumCount), minimumCount,
                $"Threshold '{metric}' asks for at least {minimumCount} samples; a rule without a sample says "
                    + $"nothing: ask for at least 1.");
        }

        (Name, Limit, Kind, StepName, MinimumCount) = (metric, limit, kind, stepName, minimumCount);
        (_countsAll, _measure, _holds, _isSurelyMissed, _givenMinimum) =
            (countsAll, measure, holds, isSurelyMissed, givenMinimum);
    }

    /// <summary>The metric, or the name of a rule that is code.</summary>
    public string Name { get; }

    /// <summary>The condition, such as <c>&lt;= 50</c>.</summary>
    public string Limit { get; }

    /// <summary>Whether a miss is a wrong result or a slow one.</summary>
    public ThresholdKind Kind { get; }

    /// <summary>The step that it judges; null for the whole iteration.</summary>
    public string? StepName { get; }

    /// <summary>Samples it needs: successful ones, and for rules on counts also failed ones.</summary>
    public long MinimumCount { get; }

    /// <summary>Number of seconds that miss the limit before the run is stopped; null for never.</summary>
    public int? AbortAfterMisses { get; private init; }

    /// <summary>Start of the checks for <see cref="AbortAfterMisses"/>, from the first intended start.</summary>
    public TimeSpan StartCheckAfter { get; private init; }

    /// <summary>The metrics for <see cref="AtMost"/> and <see cref="AtLeast"/>.</summary>
    public static IReadOnlyCollection<string> Metrics => s_metrics.Keys;

    /// <summary>The metric must not be greater than the limit.</summary>
    /// <param name="metric">One of <see cref="Metrics"/>; a time in milliseconds, a rate per second, a share from 0 to
    /// 1.</param>
    /// <param name="limit">The limit; a finite number.</param>
    /// <param name="minimumCount">Samples it needs; null for 1, or for a percentile ten beyond it: 1,000 for
    /// p99.</param>
    /// <param name="stepName">The step that it judges; null for the whole iteration.</param>
    /// <exception cref="ArgumentException">The metric does not exist, or the limit is not a number.</exception>
    public static Threshold AtMost(string metric, double limit, long? minimumCount = null, string? stepName = null) =>
        Bound(metric, limit, minimumCount, stepName, "<=", (measured, bound) => measured <= bound);

    /// <summary>The metric must not be less than the limit.</summary>
    /// <inheritdoc cref="AtMost"/>
    public static Threshold AtLeast(string metric, double limit, long? minimumCount = null, string? stepName = null) =>
        Bound(metric, limit, minimumCount, stepName, ">=", (measured, bound) => measured >= bound);

    /// <summary>
    /// A rule on whole iterations, as code. Prefer <see cref="AtMost"/> and <see cref="AtLeast"/>, which report what
    /// they measured.
    /// </summary>
    /// <param name="name">The name in reports, such as "p99 below 50 ms".</param>
    /// <param name="minimumCount">Successful iterations it needs; at least 1.</param>
    /// <param name="check">Returns true if the rule holds.</param>
    public static Threshold Create(string name, long minimumCount, Func<ScenarioStats, bool> check)
    {
        ArgumentNullException.ThrowIfNull(check);
        return new(
            name, "holds", ThresholdKind.Times, stepName: null, minimumCount, countsAll: false, _ => null,
            subject => check(subject.Stats ?? throw new InvalidOperationException(
                $"rule '{name}' is code on the iterations, and only operations are known here; "
                    + "use Threshold.AtMost or AtLeast")),
            _ => false);
    }

    /// <summary>
    /// This rule, which also stops the run: it checks each second separately and counts those that miss the limit. A
    /// second in which no iteration ended does not miss it.
    /// </summary>
    /// <param name="missedSeconds">Number of missed seconds that stop the run; at least 1.</param>
    /// <param name="startCheckAfter">From the first intended start; not negative. Default: at once.</param>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of its range.</exception>
    /// <exception cref="InvalidOperationException">The rule is code or on a step: per second only iterations are
    /// known.</exception>
    public Threshold AbortWhen(int missedSeconds, TimeSpan startCheckAfter = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(missedSeconds, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(startCheckAfter, TimeSpan.Zero);
        if (!s_metrics.ContainsKey(Name) || Name == "dropped" || StepName is not null)
        {
            throw new InvalidOperationException(
                $"Threshold '{Name}' cannot stop a run: of a second only iterations that ended are known. Use AtMost "
                    + "or AtLeast with any metric but dropped, and no step.");
        }

        return new Threshold(
            Name, Limit, Kind, StepName, MinimumCount, _countsAll, _measure, _holds, _isSurelyMissed, _givenMinimum)
        {
            AbortAfterMisses = missedSeconds,
            StartCheckAfter = startCheckAfter,
        };
    }

    /// <summary>What one second measured; null if nothing ended in it.</summary>
    internal (bool Missed, double Measured)? CheckSecond(ThresholdSubject second) =>
        second.Ended == 0 || _measure(second) is not { } measured || !double.IsFinite(measured)
            ? null
            : (!_holds(second), measured);

    /// <summary>The rule behind a result; null if it is code.</summary>
    internal static Threshold? Of(ThresholdResult judged)
    {
        var dot = judged.Metric.LastIndexOf('.');
        var (step, metric) = dot < 0 ? (null, judged.Metric) : (judged.Metric[..dot], judged.Metric[(dot + 1)..]);
        return s_metrics.ContainsKey(metric) && judged.Limit.Split(' ') is ["<=" or ">=", var limit]
            && double.TryParse(limit, NumberStyles.Float, CultureInfo.InvariantCulture, out var bound)
            ? judged.Limit[0] == '<'
                ? AtMost(metric, bound, judged.MinimumN, step)
                : AtLeast(metric, bound, judged.MinimumN, step)
            : null;
    }

    /// <summary>Judges a result. A check that throws has failed, and the limit carries the exception.</summary>
    public ThresholdResult Evaluate(ScenarioStats result)
    {
        ArgumentNullException.ThrowIfNull(result);
        return Evaluate(ThresholdSubject.Of(result, StepName));
    }

    /// <summary>Judges what was measured of the scenario, or of the step that this rule is on.</summary>
    public ThresholdResult Evaluate(ThresholdSubject subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        var n = _countsAll ? subject.Ended : subject.Latency.Count;
        var result = new ThresholdResult(
            StepName is null ? Name : $"{StepName}.{Name}", Limit, null, n, ThresholdOutcome.NotEnoughSamples, Kind)
        {
            MinimumN = _givenMinimum,
        };
        try
        {
            result = result with
            {
                Measured = _measure(subject) is { } measured && double.IsFinite(measured) ? measured : null,
            };
            return n < MinimumCount
                ? _isSurelyMissed(subject.Latency) ? result with { Outcome = ThresholdOutcome.Failed } : result
                : result with { Outcome = _holds(subject) ? ThresholdOutcome.Passed : ThresholdOutcome.Failed };
        }
        catch (Exception exception)
        {
            return result with
            {
                Limit = $"{Limit}; could not be judged: {exception.GetType().Name}: {exception.Message}",
                Outcome = ThresholdOutcome.Failed,
            };
        }
    }

    private static Threshold Bound(
        string metric, double limit, long? minimumCount, string? stepName, string sign,
        Func<double, double, bool> holds)
    {
        ArgumentNullException.ThrowIfNull(metric);
        if (!s_metrics.TryGetValue(metric, out var known))
        {
            throw new ArgumentException(
                $"There is no metric '{metric}' for a threshold; there are {string.Join(", ", Metrics)}. Write any "
                    + "other rule with Threshold.Create.", nameof(metric));
        }

        if (!double.IsFinite(limit))
        {
            throw new ArgumentException(
                $"The limit of threshold '{metric}' is {limit}; give a finite number.", nameof(limit));
        }

        if (sign == "<=" ? metric == "failedShare" && limit >= 1 : limit <= 0)
        {
            throw new ArgumentException(
                string.Create(
                    CultureInfo.InvariantCulture, $"Threshold '{metric} {sign} {limit}' holds for every measurement. ")
                + "A share is from 0 to 1, so that 0.05 is 5 %; and nothing is less than 0.", nameof(limit));
        }

        return new Threshold(
            metric, string.Create(CultureInfo.InvariantCulture, $"{sign} {limit}"), known.Kind, stepName,
            minimumCount ?? known.MinimumCount, countsAll: known.Kind == ThresholdKind.Counts,
            subject => known.Measure(subject),
            subject => holds(known.Measure(subject), limit),
            latency => sign == "<=" && known.Percentile is { } percentile && IsBeyond(latency, percentile, limit),
            minimumCount);
    }

    /// <summary>
    /// Whether enough samples lie beyond the limit to put the percentile there: a slow system completes fewer
    /// operations and must still be judged.
    /// </summary>
    private static bool IsBeyond(LatencyHistogram latency, double percentile, double limitMs)
    {
        var beyond = latency.Count - latency.CountAtOrBelow(limitMs);
        return beyond >= SamplesInTail && beyond > (1 - (percentile / 100)) * latency.Count;
    }

    private static Metric Percentile(double percentile) => new(
        ThresholdKind.Times, (long)Math.Round(SamplesInTail / (1 - (percentile / 100))),
        subject => subject.Latency.PercentileMs(percentile)) { Percentile = percentile };

    private static Metric Count(Func<ThresholdSubject, double> measure) => new(ThresholdKind.Counts, 1, measure);

    private sealed record Metric(ThresholdKind Kind, long MinimumCount, Func<ThresholdSubject, double> Measure)
    {
        /// <summary>The percentile, 0 to 100; null for other metrics.</summary>
        public double? Percentile { get; init; }
    }
}
