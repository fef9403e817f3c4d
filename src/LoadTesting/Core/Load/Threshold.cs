namespace LoadTesting.Core.Load;

/// <summary>
/// A rule on the result of a scenario or of one of its steps. Where it has fewer samples than it needs it does not hold: a percentile of
/// nothing is not a pass. The most that a percentile may be is missed all the same where ten samples, and more than its share, are beyond.
/// </summary>
public sealed class Threshold
{
    /// <summary>A percentile needs so many samples beyond it.</summary>
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
        Func<ThresholdSubject, double?> measure, Func<ThresholdSubject, bool> holds, Func<LatencyHistogram, bool> isSurelyMissed,
        long? givenMinimum = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(metric);
        if (minimumCount < 1)
        {
            throw new ArgumentOutOfRangeException(
                nameof(minimumCount), minimumCount, $"Threshold '{metric}' asks for at least {minimumCount} samples; a rule that holds "
                    + "without a sample is none: ask for at least 1.");
        }

        (Name, Limit, Kind, StepName, MinimumCount) = (metric, limit, kind, stepName, minimumCount);
        (_countsAll, _measure, _holds, _isSurelyMissed, _givenMinimum) = (countsAll, measure, holds, isSurelyMissed, givenMinimum);
    }

    /// <summary>What the reader sees: the metric, or the name of a rule that is code.</summary>
    public string Name { get; }

    /// <summary>What has to hold, such as <c>&lt;= 50</c>.</summary>
    public string Limit { get; }

    /// <summary>Whether a miss is a wrong result or a slow one.</summary>
    public ThresholdKind Kind { get; }

    /// <summary>The step it looks at; null for the whole iteration.</summary>
    public string? StepName { get; }

    /// <summary>Samples it needs: successful ones, and failed ones too where it is on counts.</summary>
    public long MinimumCount { get; }

    /// <summary>The run is stopped when so many seconds have missed it; null for never.</summary>
    public int? AbortAfterMisses { get; private init; }

    /// <summary>Seconds that begin earlier, from the first intended start, are not looked at for <see cref="AbortAfterMisses"/>.</summary>
    public TimeSpan StartCheckAfter { get; private init; }

    /// <summary>The metrics that <see cref="AtMost"/> and <see cref="AtLeast"/> know.</summary>
    public static IReadOnlyCollection<string> Metrics => s_metrics.Keys;

    /// <summary>The metric may not be greater than the limit.</summary>
    /// <param name="metric">One of <see cref="Metrics"/>; a time in milliseconds, a rate per second, a share from 0 to 1.</param>
    /// <param name="limit">The most it may be; a finite number.</param>
    /// <param name="minimumCount">Samples it needs; null for 1, or for a percentile ten beyond it: 1,000 for p99.</param>
    /// <param name="stepName">The step it looks at; null for the whole iteration.</param>
    /// <exception cref="ArgumentException">There is no such metric, or the limit is no number.</exception>
    public static Threshold AtMost(string metric, double limit, long? minimumCount = null, string? stepName = null) =>
        Bound(metric, limit, minimumCount, stepName, "<=", (measured, bound) => measured <= bound);

    /// <summary>The metric may not be less than the limit.</summary>
    /// <inheritdoc cref="AtMost"/>
    public static Threshold AtLeast(string metric, double limit, long? minimumCount = null, string? stepName = null) =>
        Bound(metric, limit, minimumCount, stepName, ">=", (measured, bound) => measured >= bound);

    /// <summary>A rule on whole iterations, as code. Prefer <see cref="AtMost"/> and <see cref="AtLeast"/>: they say what they
    /// measured.</summary>
    /// <param name="name">What the reader sees, such as "p99 below 50 ms".</param>
    /// <param name="minimumCount">Successful iterations it needs; at least 1.</param>
    /// <param name="check">True where the result is good enough.</param>
    public static Threshold Create(string name, long minimumCount, Func<ScenarioStats, bool> check)
    {
        ArgumentNullException.ThrowIfNull(check);
        return OfCode(name, null, minimumCount, stats => check(stats));
    }

    /// <summary>A rule on one step, as code. A step that never ran has no samples.</summary>
    /// <param name="name">What the reader sees.</param>
    /// <param name="minimumCount">Successful runs of the step it needs; at least 1.</param>
    /// <param name="check">True where the step's result is good enough.</param>
    public static Threshold ForStep(string name, string stepName, long minimumCount, Func<StepStats, bool> check)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(stepName);
        ArgumentNullException.ThrowIfNull(check);
        return OfCode(name, stepName, minimumCount, stats => check(stats.Step(stepName)));
    }

    /// <summary>
    /// This rule, which also stops the run: it looks at every second by itself and counts those that miss the limit. A second without an
    /// iteration that ended misses nothing.
    /// </summary>
    /// <param name="missedSeconds">How many seconds stop it; at least 1.</param>
    /// <param name="startCheckAfter">From the first intended start; not negative. Default: at once.</param>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of its range.</exception>
    /// <exception cref="InvalidOperationException">It is code or on a step: of a second only iterations are known.</exception>
    public Threshold AbortWhen(int missedSeconds, TimeSpan startCheckAfter = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(missedSeconds, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(startCheckAfter, TimeSpan.Zero);
        if (!s_metrics.ContainsKey(Name) || Name == "dropped" || StepName is not null)
        {
            throw new InvalidOperationException(
                $"Threshold '{Name}' cannot stop a run: of a second only iterations that ended are known. Use AtMost or AtLeast with any "
                + "metric but dropped, and no step.");
        }

        return new Threshold(Name, Limit, Kind, StepName, MinimumCount, _countsAll, _measure, _holds, _isSurelyMissed, _givenMinimum)
        {
            AbortAfterMisses = missedSeconds,
            StartCheckAfter = startCheckAfter,
        };
    }

    /// <summary>What one second measured; null where nothing ended in it.</summary>
    internal (bool Missed, double Measured)? Look(ThresholdSubject second) =>
        second.Ended == 0 || _measure(second) is not { } measured || !double.IsFinite(measured) ? null : (!_holds(second), measured);

    /// <summary>The rule that a result was judged by; null where it is code.</summary>
    internal static Threshold? Of(ThresholdResult judged)
    {
        var dot = judged.Metric.LastIndexOf('.');
        var (step, metric) = dot < 0 ? (null, judged.Metric) : (judged.Metric[..dot], judged.Metric[(dot + 1)..]);
        return s_metrics.ContainsKey(metric) && judged.Limit.Split(' ') is ["<=" or ">=", var limit]
            && double.TryParse(limit, NumberStyles.Float, CultureInfo.InvariantCulture, out var bound)
            ? judged.Limit[0] == '<' ? AtMost(metric, bound, judged.MinimumN, step) : AtLeast(metric, bound, judged.MinimumN, step)
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
            result = result with { Measured = _measure(subject) is { } measured && double.IsFinite(measured) ? measured : null };
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
        string metric, double limit, long? minimumCount, string? stepName, string sign, Func<double, double, bool> holds)
    {
        ArgumentNullException.ThrowIfNull(metric);
        if (!s_metrics.TryGetValue(metric, out var known))
        {
            throw new ArgumentException(
                $"There is no metric '{metric}' for a threshold; there are {string.Join(", ", Metrics)}. Write any other rule with "
                + "Threshold.Create.", nameof(metric));
        }

        if (!double.IsFinite(limit))
        {
            throw new ArgumentException($"The limit of threshold '{metric}' is {limit}; give a finite number.", nameof(limit));
        }

        if (sign == "<=" ? metric == "failedShare" && limit >= 1 : limit <= 0)
        {
            throw new ArgumentException(
                string.Create(CultureInfo.InvariantCulture, $"Threshold '{metric} {sign} {limit}' holds whatever is measured. ")
                + "A share is from 0 to 1, so that 0.05 is 5 %; and nothing is less than 0.", nameof(limit));
        }

        return new Threshold(
            metric, string.Create(CultureInfo.InvariantCulture, $"{sign} {limit}"), known.Kind, stepName,
            minimumCount ?? known.MinimumCount, countsAll: known.Kind == ThresholdKind.Counts, subject => known.Measure(subject),
            subject => holds(known.Measure(subject), limit),
            latency => sign == "<=" && known.Percentile is { } percentile && IsBeyond(latency, percentile, limit),
            minimumCount);
    }

    /// <summary>
    /// Whether so many samples lie beyond the limit that the percentile does: a system that became slow ends fewer operations, and must not
    /// go unjudged for it.
    /// </summary>
    private static bool IsBeyond(LatencyHistogram latency, double percentile, double limitMs)
    {
        var beyond = latency.Count - latency.CountAtOrBelow(limitMs);
        return beyond >= SamplesInTail && beyond > (1 - (percentile / 100)) * latency.Count;
    }

    private static Threshold OfCode(string name, string? stepName, long minimumCount, Func<ScenarioStats, bool> check) => new(
        name, "holds", ThresholdKind.Times, stepName, minimumCount, countsAll: false, _ => null,
        subject => check(subject.Stats ?? throw new InvalidOperationException(
            $"rule '{name}' is code on the iterations, and only operations are known here; use Threshold.AtMost or AtLeast")),
        _ => false);

    private static Metric Percentile(double percentile) => new(
        ThresholdKind.Times, (long)Math.Round(SamplesInTail / (1 - (percentile / 100))),
        subject => subject.Latency.PercentileMs(percentile)) { Percentile = percentile };

    private static Metric Count(Func<ThresholdSubject, double> measure) => new(ThresholdKind.Counts, 1, measure);

    private sealed record Metric(ThresholdKind Kind, long MinimumCount, Func<ThresholdSubject, double> Measure)
    {
        /// <summary>Which one, 0 to 100; null of any other metric.</summary>
        public double? Percentile { get; init; }
    }
}

/// <summary>What a threshold looks at: a scenario or one step or phase of it.</summary>
/// <param name="Latency">Of what succeeded.</param>
/// <param name="Failed">How many failed.</param>
/// <param name="Dropped">How many never started.</param>
/// <param name="ThroughputPerSecond">Successes per second of real time.</param>
public sealed record ThresholdSubject(LatencyHistogram Latency, long Failed, long Dropped, double ThroughputPerSecond)
{
    /// <summary>Successes and failures.</summary>
    public long Ended => Latency.Count + Failed;

    /// <summary>The iterations, for rules that are code; null where only operations are known.</summary>
    public ScenarioStats? Stats { get; init; }

    internal static ThresholdSubject Of(ScenarioStats stats, string? stepName)
    {
        var (ok, failed) = stepName is null
            ? (stats.Ok, stats.Fail.Count)
            : stats.FindStep(stepName) is { } step ? (step.Ok, step.Fail.Count) : (null, 0);
        return new ThresholdSubject(
            ok?.Latency ?? new LatencyHistogram(), failed, stats.Dropped - stats.DroppedAfterStop, ok?.RatePerSecond ?? 0)
        {
            Stats = stats,
        };
    }
}

/// <summary>A threshold and whether it holds.</summary>
/// <param name="Metric">What it looks at, e.g. <c>p99Ms</c> or <c>start.p95Ms</c>; the name of a rule that is code.</param>
/// <param name="Limit">What has to hold, e.g. <c>&lt;= 50</c>.</param>
/// <param name="Measured">The metric's value; null where there is none, or where the rule is code that names none.</param>
/// <param name="N">Samples it was judged by; 0 or more.</param>
/// <param name="Outcome">Passed, failed or not enough samples.</param>
/// <param name="Kind">Whether a miss is a wrong result or a slow one.</param>
public sealed record ThresholdResult(string Metric, string Limit, double? Measured, long N, ThresholdOutcome Outcome, ThresholdKind Kind)
{
    /// <summary>Samples that the rule asks for; null where it leaves that to its metric or is code.</summary>
    public long? MinimumN { get; init; }

    /// <summary>The finding in words.</summary>
    public override string ToString()
    {
        var measured = Measured is { } value ? string.Create(CultureInfo.InvariantCulture, $" with {value:0.###}") : "";
        var finding = Outcome switch
        {
            ThresholdOutcome.Passed => "holds" + measured,
            ThresholdOutcome.Failed => "missed" + measured,
            _ => "too few samples to judge",
        };
        return string.Create(CultureInfo.InvariantCulture, $"threshold {Metric} {Limit}: {finding} (n = {N})");
    }
}

/// <summary>What judging a threshold came to.</summary>
public enum ThresholdOutcome
{
    /// <summary>It holds.</summary>
    Passed,

    /// <summary>It does not hold, or could not be judged.</summary>
    Failed,

    /// <summary>Too few samples to say.</summary>
    NotEnoughSamples,
}

/// <summary>What kind of fault a missed threshold is.</summary>
public enum ThresholdKind
{
    /// <summary>On counts or errors: a miss is a wrong result, in every tier.</summary>
    Counts,

    /// <summary>On times or rates: a miss is a slow result.</summary>
    Times,
}

/// <summary>Looks at each second of a scenario and stops the run where a threshold says so.</summary>
/// <param name="scenario">Has the thresholds.</param>
/// <param name="stop">Stops the run, for the reason given.</param>
internal sealed class AbortWatch(ScenarioProps scenario, Action<string> stop)
{
    private readonly (Threshold Rule, int Left)[] _rules =
        [.. scenario.Thresholds.Where(rule => rule.AbortAfterMisses is not null).Select(rule => (rule, rule.AbortAfterMisses!.Value))];

    internal void Look(LiveSecond second)
    {
        for (var index = 0; index < _rules.Length; index++)
        {
            var rule = _rules[index].Rule;
            if (TimeSpan.FromSeconds(second.Index) < rule.StartCheckAfter)
            {
                continue;
            }

            var subject = new ThresholdSubject(second.Latency, second.Failed, 0, second.Latency.Count);
            if (rule.Look(subject) is (true, var measured) && --_rules[index].Left == 0)
            {
                stop(Invariant.Text(
                    $"scenario '{scenario.ScenarioName}': {rule.AbortAfterMisses} seconds missed the threshold {rule.Name} {rule.Limit}, "
                    + $"the last one, from {second.Index} s on, with {measured:0.###}"));
            }
        }
    }
}
