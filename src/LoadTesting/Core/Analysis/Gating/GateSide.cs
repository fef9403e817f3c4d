namespace LoadTesting.Core.Analysis.Gating;

/// <summary>What one run of a scenario came to, as far as a gate looks at it.</summary>
public sealed record GateSide
{
    internal const string FailedRuns = "failedRuns";

    internal const string FailedCommands = "failedCommands";

    /// <summary>Operations that were asked for.</summary>
    public required long Operations { get; init; }

    /// <summary>Samples of latency.</summary>
    public required long N { get; init; }

    /// <summary>Completed operations per second; null when not known.</summary>
    public double? ThroughputPerSecond { get; init; }

    /// <summary>Median latency, milliseconds; null without samples.</summary>
    public double? P50Ms { get; init; }

    /// <summary>95th percentile, milliseconds; null without samples.</summary>
    public double? P95Ms { get; init; }

    /// <summary>99th percentile, milliseconds; null without samples.</summary>
    public double? P99Ms { get; init; }

    /// <summary>
    /// Processor time of the service, milliseconds per operation; in process of the one process that holds generator and service. Null
    /// where it was not recorded.
    /// </summary>
    public double? ServiceCpuMs { get; init; }

    /// <summary>Processor time of the database, milliseconds per operation; null where it was not recorded.</summary>
    public double? DatabaseCpuMs { get; init; }

    /// <summary>
    /// Managed memory that the service allocated, bytes per operation; in process the generator's too. Null where it was not recorded.
    /// </summary>
    public double? AllocatedBytes { get; init; }

    /// <summary>The limit that a search for the capacity found, operations per second; null of a scenario, and without a limit.</summary>
    public double? CapacityPerSecond { get; init; }

    /// <summary>The bracket of <see cref="CapacityPerSecond"/>; null with it.</summary>
    public IntervalResult? CapacityBracket { get; init; }

    /// <summary>Counted cost per operation; null where it was not counted.</summary>
    public IReadOnlyDictionary<string, double?> Counters { get; init; } = new Dictionary<string, double?>();

    /// <summary>What counted a counter, where it was not the usual source.</summary>
    public IReadOnlyDictionary<string, string> CounterSources { get; init; } = new Dictionary<string, string>();

    /// <summary>
    /// Operations that went wrong, by the ledger's name for it; <c>failedRuns</c>: 1 when the run's own verdict is failed;
    /// <c>failedCommands</c>: 1 when the command failed and no result says why.
    /// </summary>
    public IReadOnlyDictionary<string, long> Faults { get; init; } = new Dictionary<string, long>();

    /// <summary>Conflicts that the system resolved by itself.</summary>
    public long Conflicts { get; init; }

    /// <summary>Takes the figures of a scenario, or of a search for the capacity.</summary>
    internal static GateSide Of(Measured measured) => Of(measured.Scenario) with
    {
        CapacityPerSecond = measured.Capacity?.LimitPerSecond,
        CapacityBracket = measured.Capacity?.Bracket,
    };

    /// <summary>Takes the figures of a result.</summary>
    public static GateSide Of(ScenarioResult scenario)
    {
        ArgumentNullException.ThrowIfNull(scenario);
        var service = scenario.Hosting == HostingKind.InProcess ? scenario.Resources?.Generator : scenario.Resources?.Service;
        return new GateSide
        {
            ServiceCpuMs = 1000 * service?.GetValueOrDefault(ResourcesResult.CpuSecondsPerOperation),
            DatabaseCpuMs = 1000 * scenario.Resources?.Database.GetValueOrDefault(ResourcesResult.CpuSecondsPerOperation),
            AllocatedBytes = service?.GetValueOrDefault(ResourcesResult.AllocatedBytesPerOperation),
            Operations = scenario.Operations,
            N = scenario.Latency.N,
            ThroughputPerSecond = scenario.ThroughputPerSecond,
            P50Ms = scenario.Latency.P50Ms,
            P95Ms = scenario.Latency.P95Ms,
            P99Ms = scenario.Latency.P99Ms,
            Counters = scenario.Backend?.PerOperation ?? new Dictionary<string, double?>(),
            CounterSources = scenario.Backend?.Sources ?? new Dictionary<string, string>(),
            Faults = FaultsOf(scenario),
            Conflicts = scenario.Ledger?.RuntimeConflicts ?? 0,
        };
    }

    /// <summary>Whether the run's own verdict is failed.</summary>
    public bool HasFailed() => Faults.GetValueOrDefault(FailedRuns) > 0;

    private static Dictionary<string, long> FaultsOf(ScenarioResult scenario)
    {
        var faults = new Dictionary<string, long> { [FailedRuns] = scenario.Verdict.Outcome == VerdictOutcome.Failed ? 1 : 0 };
        if (scenario.Ledger is { } ledger)
        {
            faults["failed"] = ledger.Failed;
            faults["deadLettered"] = ledger.DeadLettered;
            faults["stuck"] = ledger.Stuck;
            faults["lost"] = ledger.Lost;
            faults["duplicate"] = ledger.Duplicate;
        }

        return faults;
    }
}

/// <summary>Two runs of one scenario, one right after the other.</summary>
public sealed record GatePair
{
    /// <summary>From 1, in the order in which they were run.</summary>
    public required int Number { get; init; }

    /// <summary>The build that is held against; null when it left no result.</summary>
    public GateSide? Base { get; init; }

    /// <summary>The build that is judged; null when it left no result.</summary>
    public GateSide? Candidate { get; init; }

    /// <summary>
    /// Why the pair does not count for times, a sentence each; empty when it does. Faults and counted costs count all the same.
    /// </summary>
    public IReadOnlyList<string> Vetoes { get; init; } = [];

    /// <summary>Whether both sides are present and neither is vetoed: the pair counts for times.</summary>
    public bool IsValid() => Base is not null && Candidate is not null && Vetoes.Count == 0;

    /// <summary>Whether that side is why the pair does not count for times.</summary>
    internal bool IsVetoed(string side) => Vetoes.Any(veto => veto.StartsWith(side + ": ", StringComparison.Ordinal));

    /// <summary>
    /// Whether both sides are present and neither failed: the pair counts for counted costs, which a busy machine hardly moves.
    /// </summary>
    public bool IsCounted() => Base is { } reference && Candidate is { } candidate && !reference.HasFailed() && !candidate.HasFailed();
}

/// <summary>Why a side says nothing about times: its pair is dropped, both sides of it.</summary>
internal static class SideVetoes
{
    /// <summary>Share of processor time that the hypervisor may give to others, where the result has no finer measure.</summary>
    private const double MostSteal = 0.02;

    /// <summary>A sentence for each reason; empty when the side counts.</summary>
    /// <param name="side">What to call the side.</param>
    /// <param name="scenario">Its result.</param>
    public static IEnumerable<string> Of(string side, RunResult run, ScenarioResult scenario)
    {
        if (scenario.Verdict.Outcome != VerdictOutcome.Passed)
        {
            yield return $"{side}: {(scenario.Verdict.Outcome == VerdictOutcome.Failed ? "failed" : "inconclusive")}: "
                + $"{string.Join("; ", scenario.Verdict.Reasons)}";
        }
        else if (scenario.Generator?.Health == GeneratorState.Bound)
        {
            yield return $"{side}: the generator was the limit: {string.Join("; ", scenario.Generator.Evidence)}";
        }
        else if (scenario.Validity is { Valid: false } invalid)
        {
            yield return $"{side}: invalid: "
                + $"{string.Join("; ", invalid.Checks.Where(check => check.Outcome == CheckOutcome.Failed).Select(check => check.Reason))}";
        }

        foreach (var veto in scenario.Validity?.Vetoes ?? [])
        {
            yield return $"{side}: {veto}";
        }

        if (scenario.Validity is null && run.Environment.StealShare > MostSteal)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture, $"{side}: the hypervisor gave {run.Environment.StealShare:0.0 %} of the processors to "
                    + $"others; the limit is {MostSteal:0.0 %}");
        }
    }
}

/// <summary>Whether two results may be gated against each other, by the rules of comparisons.</summary>
internal static class Comparability
{
    /// <summary>Whether both are known to be of one machine and runtime.</summary>
    public static bool IsSameMachine(RunResult first, RunResult other) =>
        first.Environment.Fingerprint is { } fingerprint && fingerprint == other.Environment.Fingerprint;

    /// <summary>
    /// What forbids a verdict: durability, content or load that differ or are not recorded. The machine is not among them, for counters
    /// gate everywhere, nor the outcome, which has rules of its own.
    /// </summary>
    public static IEnumerable<string> UnlikeButForMachine(
        ComparisonSource baseRun, ScenarioResult reference, ComparisonSource candidateRun, ScenarioResult candidate) =>
        Differences(baseRun, reference, candidateRun, candidate).Where(difference => difference.What is not ("machine" or "outcome"))
            .Select(Words);

    /// <summary>As <see cref="UnlikeButForMachine"/>, and the machine: pairs run on one.</summary>
    public static IEnumerable<string> Unlike(
        ComparisonSource baseRun, ScenarioResult reference, ComparisonSource candidateRun, ScenarioResult candidate) =>
        Differences(baseRun, reference, candidateRun, candidate).Where(difference => difference.What != "outcome").Select(Words);

    /// <summary>The report beside a run; null when there is none, or when the label is no path.</summary>
    public static string? ReportOf(ComparisonSource source)
    {
        if (!Path.Exists(source.Label))
        {
            return null;
        }

        var report = Path.Combine(Path.GetDirectoryName(ComparisonSource.FileOf(source.Label))!, "report.html");
        return File.Exists(report) ? report : null;
    }

    private static IEnumerable<ComparisonDifference> Differences(
        ComparisonSource baseRun, ScenarioResult reference, ComparisonSource candidateRun, ScenarioResult candidate)
    {
        var columns = ComparisonRules.OfColumns(
            new ComparisonColumn("A", reference.Profile, baseRun), new ComparisonColumn("B", candidate.Profile, candidateRun));
        return columns.Concat(ComparisonRules.OfScenarios(reference, candidate)).Where(difference => difference.ForbidsVerdict);
    }

    private static string Words(ComparisonDifference difference) => $"{difference.What} is {difference.First} and {difference.Other}";
}
