using LoadTesting.Core.Analysis.Validity;
using LoadTesting.Core.Reporting.Tables;

namespace PerformanceTesting.Measurement;

/// <summary>
/// The account of one scenario, all of it from what the instrument measured: where every operation ended, and how long
/// each phase took.
/// </summary>
/// <param name="scenario">What ran.</param>
/// <param name="measured">Its iterations and steps.</param>
/// <param name="tally">Its operations.</param>
/// <param name="isInterrupted">
/// Whether the load was interrupted; operations that had not begun by then do not count.
/// </param>
/// <param name="wholeLoad">The whole load in words, if this process drove a part of it; else null.</param>
public sealed class ScenarioAccount(
    MeasuredScenario scenario, ScenarioStats measured, OperationTally tally, bool isInterrupted = false,
    IReadOnlyList<string>? wholeLoad = null)
{
    public MeasuredScenario Scenario => scenario;

    public OperationTally Tally => tally;

    /// <summary>Its iterations and steps.</summary>
    public ScenarioStats Measured => measured;

    /// <summary>Operations that were asked for.</summary>
    public long Operations => Planned - Abandoned;

    /// <summary>
    /// Latency of the operations that completed: from the intended start in an open model, else from the first request.
    /// </summary>
    public LatencyHistogram Latency => IsOpen ? measured.Ok.Latency : tally.Latency;

    /// <summary>The real time that the throughput is over.</summary>
    public TimeSpan Duration => IsOpen ? measured.Duration : tally.Duration;

    /// <summary>
    /// Operations that no iteration began. Iterations are dropped from the end, so of several to an operation the last
    /// go first: only those of the first kind were to begin one.
    /// </summary>
    private long NeverBegun => Math.Max(0, measured.Dropped - LaterIterations) - Abandoned;

    private long Planned { get; } =
        wholeLoad is null && scenario.LoadOperations > 0 ? scenario.LoadOperations : measured.Requested;

    /// <summary>Operations that were not begun when somebody ended the load.</summary>
    private long Abandoned => isInterrupted ? Math.Max(0, measured.DroppedAfterStop - LaterIterations) : 0;

    private long LaterIterations => Planned * (scenario.IterationsPerOperation - 1);

    private long Dropped => NeverBegun + tally.Count(SendOutcome.NotSent);

    private bool IsOpen => measured.Model == LoadModel.Open;

    /// <summary>The phases, by name.</summary>
    public IReadOnlyDictionary<string, LatencyHistogram> Phases { get; } =
        scenario.MeasuredPhases.ToDictionary(
            phase => phase, phase => scenario.HistogramOf(phase, measured, tally), StringComparer.Ordinal);

    /// <summary>
    /// The client's account: without events, and without the system's word on operations that did not complete.
    /// </summary>
    private LedgerResult Ledger()
    {
        var started = tally.Count(SendOutcome.Accepted);
        return new LedgerResult
        {
            Requested = Operations,
            Dropped = Dropped,
            Refused = tally.Count(SendOutcome.Refused),
            Unknown = tally.Count(SendOutcome.Unknown),
            Started = started,
            Completed = tally.Completed,
            Stuck = Math.Max(0, started - tally.Completed),
        };
    }

    /// <summary>The result as far as it is known before the load.</summary>
    /// <param name="scenario">What will run.</param>
    /// <param name="hosting">Where the system runs.</param>
    /// <param name="engine">What starts the iterations.</param>
    /// <param name="load">The load in words.</param>
    public static ScenarioResult BeforeLoad(
        MeasuredScenario scenario, HostingKind hosting, string engine, IEnumerable<string> load)
    {
        return new ScenarioResult
        {
            Name = scenario.FullName,
            Tier = scenario.Tier,
            Profile = scenario.Profile,
            Hosting = hosting,
            Transport = scenario.Transport,
            LoadEngine = engine,
            LoadModel = string.Join("; ", load),
            DefinitionHash = scenario.ContentHash,
            Operations = scenario.LoadOperations,
            Concurrency = scenario.LoadConcurrency,
            SignalWorkers = scenario.SignalWorkers,
            DurationMs = 0,
            ThroughputPerSecond = 0,
            Latency = new LatencyResult { N = 0 },
            Verdict = new(VerdictOutcome.Inconclusive, ["not judged yet"]),
            Notes = scenario.Notes,
        };
    }

    /// <summary>The result as far as the instrument knows it; observers and the verdict are still to come.</summary>
    public ScenarioResult ToResult(
        LoadResult load, HostingKind hosting, IReadOnlyDictionary<string, LatencyResult>? serverSplit)
    {
        var timeline = tally.TimelineOf(measured, NeverBegun, keepsHistograms: wholeLoad is not null);
        return BeforeLoad(scenario, hosting, load.Engine, wholeLoad ?? measured.Simulations) with
        {
            StartedUtc = load.StartedUtc,
            Operations = Operations,
            DurationMs = Duration.TotalMilliseconds,
            ThroughputPerSecond = Duration > TimeSpan.Zero ? tally.Completed / Duration.TotalSeconds : 0,
            Latency = LatencyResult.From(Latency),
            FailedLatency = measured.Fail.Count == 0 ? null : LatencyResult.From(measured.Fail.Latency),
            Clocks = IsOpen ? Clocks() : new Dictionary<string, LatencyResult>(),
            Phases = Phases.ToDictionary(
                phase => phase.Key, phase => LatencyResult.From(phase.Value), StringComparer.Ordinal),
            PhaseStarts = PhaseStarts(),
            ServerSplit = serverSplit,
            Ledger = Ledger(),
            Timeline = timeline,
            Requests = hosting == HostingKind.Http ? RequestsOf(timeline) : null,
            Errors = measured.Errors,
            Stalls = measured.Stalls,
            Thresholds = [.. scenario.Thresholds.Select(Judge)],
            Generator = load.Health.Figures with { StopReason = load.StopReason },
            Partial = isInterrupted
                ? string.Create(
                    System.Globalization.CultureInfo.InvariantCulture,
                    $"interrupted after {load.Duration.TotalSeconds:0.0} s, when {Quantity.Of(Operations, Planned, "operation")} had begun")
                : null,
            Notes = [.. scenario.Notes, .. StepNotes(), .. load.Notes],
        };
    }

    private RequestResult? RequestsOf(TimelineResult timeline)
    {
        var requests = measured.Steps.Where(step => scenario.IsRequest(step.Name)).ToList();
        return requests.Count == 0
            ? null : RequestResult.Of(measured with { Steps = requests }, timeline, scenario.RampUp);
    }

    private Dictionary<string, double>? PhaseStarts()
    {
        var known = Phases.Keys.Select(phase => (Phase: phase, StartMs: scenario.PhaseStartMs(phase, tally)))
            .Where(phase => phase.StartMs is not null)
            .ToDictionary(phase => phase.Phase, phase => phase.StartMs!.Value);
        return known.Count == 0 ? null : known;
    }

    /// <summary>
    /// What the scenario itself shows to be wrong: samples that are missing, limits on steps that never ran, deliveries
    /// before their time, iterations that failed.
    /// </summary>
    public IEnumerable<string> Failures()
    {
        foreach (var (phase, histogram) in Phases)
        {
            var wanted = scenario.SamplesOf(phase, Operations);
            if (isInterrupted ? histogram.Count > wanted : histogram.Count != wanted)
            {
                yield return $"phase {phase} has {Quantity.Of(histogram.Count, "sample")} where {wanted} {Quantity.Noun(wanted, "is", "are")} due";
            }
        }

        var steps = Phases.Keys.Union(measured.Steps.Select(step => step.Name)).Order(StringComparer.Ordinal).ToList();
        foreach (var missing in isInterrupted
            ? [] : scenario.Thresholds.Select(rule => rule.StepName).OfType<string>().Except(steps))
        {
            yield return $"a limit is on the step {missing}, which never ran; there are {string.Join(", ", steps)}";
        }

        if (tally.Early > 0)
        {
            yield return $"{Quantity.Of(tally.Early, "signal")} came before the due time";
        }

        foreach (var error in measured.Errors)
        {
            yield return TimelineText.Sentence(error);
        }
    }

    /// <summary>
    /// Where the run had settled, null with too few completions, and whether it did and became slower.
    /// </summary>
    public (WarmUpResult? WarmUp, IReadOnlyList<CheckResult> Checks) WarmUpOf()
    {
        var whyNot = scenario.PlannedChange is { } change ? $"the system is changed on purpose: {change}"
            : tally.Series.Count < WarmUpCut.MinimumCompletions
                ? $"it needs {WarmUpCut.MinimumCompletions} completions; there are {tally.Series.Count}"
            : null;
        if (whyNot is not null)
        {
            string[] names = [WarmUpCut.CheckName, Verdicts.Slowdown];
            return (null, [.. names.Select(name => CheckResult.Not(name, CheckSubject.System, whyNot))]);
        }

        var (result, check) = WarmUpCut.Find(tally.Series, tally.SeriesName);
        return (result, [check, Verdicts.SlowdownOf(tally.Series, tally.SeriesName, Duration)]);
    }

    /// <summary>
    /// A rule is on operations and phases, of which each may take several iterations, or on a step that is no phase.
    /// </summary>
    private ThresholdResult Judge(Threshold threshold)
    {
        if (threshold.StepName is not { } step)
        {
            var failed = isInterrupted ? measured.Fail.Count : Math.Max(0, Operations - Dropped - tally.Completed);
            return threshold.Evaluate(
                new ThresholdSubject(
                    Latency, failed, Dropped, tally.Completed / Duration.TotalSeconds) { Stats = measured });
        }

        return Phases.TryGetValue(step, out var phase)
            ? threshold.Evaluate(
                new ThresholdSubject(
                    phase, measured.FindStep(step)?.Fail.Count ?? 0, 0, phase.Count / Duration.TotalSeconds))
            : threshold.Evaluate(measured);
    }

    private Dictionary<string, LatencyResult> Clocks() => new()
    {
        ["scheduleLag"] = LatencyResult.From(measured.ScheduleLag),
        ["service"] = LatencyResult.From(measured.Ok.Service),
        ["response"] = LatencyResult.From(measured.Ok.Response),
    };

    private IEnumerable<string> StepNotes() => measured.Steps.Where(step => step.EndBeforeStart > 0)
        .Select(step => $"{step.EndBeforeStart} of {step.Name} ended before the step before them was seen, and count as 0.");
}
