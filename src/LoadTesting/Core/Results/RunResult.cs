namespace LoadTesting.Core.Results;

/// <summary>
/// Everything one run found out: the document in <c>run.json</c>, in the file of each scenario (then with that scenario
/// alone) and in a stored baseline. Its JSON Schema is exported by <see cref="ResultSchema"/>.
/// </summary>
public sealed record RunResult
{
    /// <summary>The version this code writes. A reader accepts any document of the same major version.</summary>
    public const string CurrentSchemaVersion = "1.0";

    /// <summary>Version of the format, <c>major.minor</c>; the minor grows when members are added.</summary>
    public string SchemaVersion { get; init; } = CurrentSchemaVersion;

    /// <summary>Name of the run's directory, <c>yyyyMMddTHHmmssZ-commit</c>.</summary>
    public required string RunId { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }

    /// <summary>Full hash of the commit under test; null outside a repository.</summary>
    public string? Commit { get; init; }

    /// <summary>
    /// Whether the work tree differed from <see cref="Commit"/>; null when that could not be found out.
    /// </summary>
    public bool? Dirty { get; init; }

    /// <summary>The machine, the runtime and the backends.</summary>
    public required EnvironmentInfo Environment { get; init; }

    /// <summary>
    /// Ceilings measured in the same run. With several profiles a member is filled when exactly one profile measured
    /// it; the profiles stand side by side in <see cref="CeilingsByProfile"/>.
    /// </summary>
    public CeilingsResult? Ceilings { get; init; }

    public IReadOnlyDictionary<string, CeilingsResult> CeilingsByProfile { get; init; } =
        new Dictionary<string, CeilingsResult>();

    /// <summary>The scenarios, in the order in which they finished.</summary>
    public IReadOnlyList<ScenarioResult> Scenarios { get; init; } = [];

    /// <summary>
    /// Why the run is partial and what was not measured; null if it was not interrupted. A partial run is not a
    /// baseline and passes no gate.
    /// </summary>
    public string? Partial { get; init; }

    /// <summary>Ladders among the scenarios, and searches for the capacity.</summary>
    public IReadOnlyList<CapacityResult> Capacity { get; init; } = [];

    /// <summary>Requested profiles and scenarios that could not run, with the reason.</summary>
    public IReadOnlyList<NotExercised> NotExercised { get; init; } = [];

    /// <summary>Remarks on the run as a whole, among them why a member is null.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>A profile, or a scenario of it, that this run left out.</summary>
/// <param name="Profile">Profile, or the full scenario name when only that scenario was left out.</param>
/// <param name="Reason">Why.</param>
/// <param name="Command">The command or setting that enables it; null when nothing on this machine would.</param>
public sealed record NotExercised(string Profile, string Reason, string? Command);

/// <summary>What the backend counted while the scenario ran.</summary>
public sealed record BackendCounters
{
    /// <summary>Differences of the server's own counters, under the server's own names.</summary>
    public IReadOnlyDictionary<string, double> Raw { get; init; } = new Dictionary<string, double>();

    /// <summary>
    /// Counted cost per completed operation: <c>commits</c>, <c>walBytes</c>, <c>logicalReads</c>, <c>rows</c> and the
    /// like.
    /// </summary>
    public IReadOnlyDictionary<string, double?> PerOperation { get; init; } = new Dictionary<string, double?>();

    /// <summary>
    /// What counted a member of <see cref="PerOperation"/>, where it was not the server itself; null when all were its
    /// own.
    /// </summary>
    public IReadOnlyDictionary<string, string>? Sources { get; init; }

    /// <summary>Dominant waits, the greatest share first.</summary>
    public IReadOnlyList<WaitResult> Waits { get; init; } = [];

    /// <summary>Why a counter is missing.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>One class of waiting in the backend.</summary>
/// <param name="Name">The server's name for it.</param>
/// <param name="Share">Share of sampled session time, 0 to 1; null if a record has the name only.</param>
public sealed record WaitResult(string Name, double? Share);

/// <summary>
/// Processor and memory while the scenario ran, per process. Names carry their unit: <c>cpuSeconds</c>,
/// <c>cpuCores</c>, <c>peakMemoryBytes</c>, <c>allocatedBytesPerOperation</c>. In process the generator and the service
/// are one process: the figures stand under <see cref="Generator"/>.
/// </summary>
public sealed record ResourcesResult
{
    /// <summary>Processor seconds per completed operation.</summary>
    public const string CpuSecondsPerOperation = "cpuSecondsPerOperation";

    /// <summary>Managed memory that was allocated per completed operation, bytes.</summary>
    public const string AllocatedBytesPerOperation = "allocatedBytesPerOperation";

    /// <summary>The process that drives the load.</summary>
    public IReadOnlyDictionary<string, double?> Generator { get; init; } = new Dictionary<string, double?>();

    /// <summary>The system under test, if it has its own process.</summary>
    public IReadOnlyDictionary<string, double?> Service { get; init; } = new Dictionary<string, double?>();

    /// <summary>The backend's processes.</summary>
    public IReadOnlyDictionary<string, double?> Database { get; init; } = new Dictionary<string, double?>();
}

/// <param name="Reasons">A sentence each, with value and limit; empty when passed without remark.</param>
public sealed record VerdictResult(VerdictOutcome Outcome, IReadOnlyList<string> Reasons);

/// <summary>
/// Whether the result may be believed. A failed check makes it invalid, which is another thing than slow; a veto says
/// that the machine was not quiet: the result stands, and is neither half of a pair nor a baseline.
/// </summary>
public sealed record ValidityResult
{
    /// <summary>Whether no check failed. Computed from <see cref="Checks"/>, never stored.</summary>
    public bool Valid => Checks.All(check => check.Outcome != CheckOutcome.Failed);

    /// <summary>Conservation, Little's law, warm-up and leaks.</summary>
    public IReadOnlyList<CheckResult> Checks { get; init; } = [];

    /// <summary>
    /// How quiet machine and generator were: steal, throttling, generator processor, schedule lag, collector pauses.
    /// </summary>
    public IReadOnlyList<CheckResult> Environment { get; init; } = [];

    /// <summary>
    /// The sentences of <see cref="Environment"/> beyond their limits; empty when quiet. Computed, never stored.
    /// </summary>
    public IReadOnlyList<string> Vetoes =>
        [.. Environment.Where(check => check.Outcome == CheckOutcome.Failed).Select(check => check.Reason)];

    /// <summary>
    /// Instances in flight by the service's own gauge against the client's rate times residence; null where its check
    /// is not applicable.
    /// </summary>
    public LittlesLawResult? LittlesLaw { get; init; }

    /// <summary>What of the measured part was still warm-up; null where its check is not applicable.</summary>
    public WarmUpResult? WarmUp { get; init; }

    /// <summary>Slope of each resource over a soak; null if the run was too short for one.</summary>
    public IReadOnlyList<LeakResult>? Leaks { get; init; }
}

/// <summary>Where the measured part had settled. Reported only: every percentile counts every operation.</summary>
public sealed record WarmUpResult
{
    /// <summary>How it was found, e.g. <c>MSER-5</c>.</summary>
    public required string Method { get; init; }

    /// <summary>The series: latency, or the interval between completions.</summary>
    public required string Series { get; init; }

    /// <summary>Number of completions in the series.</summary>
    public required long Completions { get; init; }

    /// <summary>Number of leading completions that belong to the warm-up.</summary>
    public required long CutCompletions { get; init; }

    /// <summary>False where half of the series is not enough: it never settled.</summary>
    public required bool Steady { get; init; }

    /// <summary>Mean of the series without the cut, milliseconds.</summary>
    public required double SettledMeanMs { get; init; }

    /// <summary>Mean of all of the series, milliseconds.</summary>
    public required double MeanMs { get; init; }
}

/// <summary>
/// How one resource changed over a soak: the slope of Theil and Sen over windows, with its 99 % interval.
/// </summary>
public sealed record LeakResult
{
    /// <summary>The resource, e.g. <c>workingSet</c>.</summary>
    public required string Name { get; init; }

    /// <summary>Its unit, e.g. <c>bytes</c>.</summary>
    public required string Unit { get; init; }

    public required int Samples { get; init; }

    /// <summary>Time that the windows span, seconds.</summary>
    public required double SpanSeconds { get; init; }

    /// <summary>The line at the beginning of the span.</summary>
    public required double Start { get; init; }

    /// <summary>Growth along the line over the span; negative where it shrank.</summary>
    public required double Growth { get; init; }

    /// <summary>Lower end of the growth's 99 % interval.</summary>
    public required double GrowthLow { get; init; }

    /// <summary>Upper end of the growth's 99 % interval.</summary>
    public required double GrowthHigh { get; init; }

    /// <summary>Growth that is allowed: a tenth of the start, or the resource's own floor if that is more.</summary>
    public required double Limit { get; init; }

    /// <summary>Whether it grew beyond the limit and the interval leaves 0 out.</summary>
    public required bool Leaks { get; init; }
}

/// <summary>
/// Little's law, N = X R, between two observers: N is the service's integrated gauge on its own clock, X and R are the
/// client's.
/// </summary>
public sealed record LittlesLawResult
{
    /// <summary>Completions that the client saw.</summary>
    public required long N { get; init; }

    /// <summary>The client's window, from the first beginning to the last completion, milliseconds.</summary>
    public required double WindowMs { get; init; }

    /// <summary>Operations in flight on average over the window, by the service's gauge.</summary>
    public required double ServiceInFlight { get; init; }

    /// <summary>Completions per second of the window, by the client.</summary>
    public required double ThroughputPerSecond { get; init; }

    /// <summary>Mean time from beginning to completion, by the client, milliseconds.</summary>
    public required double ResidenceMs { get; init; }

    /// <summary>Throughput times residence: what the client takes to have been in flight.</summary>
    public required double ClientInFlight { get; init; }

    /// <summary>The difference of both as a share of the service's, 0 or more.</summary>
    public required double RelativeError { get; init; }
}

/// <summary>
/// Where the response time of a scenario goes: ranked findings, and every resource guilty, exonerated or not examined.
/// </summary>
public sealed record FindingsResult
{
    /// <summary>The mean response time that is divided up, seconds; null when no operation completed.</summary>
    public double? ResponseSeconds { get; init; }

    /// <summary>The part of it that no resource accounts for, seconds; null when no operation completed.</summary>
    public double? UnexplainedSeconds { get; init; }

    /// <summary>
    /// The answer in a sentence: what comes first and how sure that is; or that nothing is singled out, and what would
    /// tell more. Empty in records of versions that gave none.
    /// </summary>
    public string Conclusion { get; init; } = "";

    /// <summary>The guilty resources, the greatest impact first; empty when none is.</summary>
    public IReadOnlyList<FindingResult> Ranked { get; init; } = [];

    /// <summary>Every resource, examined or not, in a fixed order.</summary>
    public required IReadOnlyList<ResourceResult> Resources { get; init; }
}

/// <summary>A resource that takes a considerable share of the response time, with what to do about it.</summary>
public sealed record FindingResult
{
    /// <summary>1 is the greatest impact.</summary>
    public required int Rank { get; init; }

    /// <summary>The resource, in the words of <see cref="ResourceResult.Resource"/>.</summary>
    public required string Resource { get; init; }

    /// <summary>What an operation loses to it on average, seconds; 0 or more.</summary>
    public required double ImpactSecondsPerOperation { get; init; }

    /// <summary><see cref="ImpactSecondsPerOperation"/> over the mean response time, 0 to 1.</summary>
    public required double ShareOfResponseTime { get; init; }

    /// <summary>What was measured, a sentence each.</summary>
    public required IReadOnlyList<string> Evidence { get; init; }

    /// <summary>What to change first.</summary>
    public required string Suggestion { get; init; }

    /// <summary>How far it can be trusted.</summary>
    public required FindingConfidence Confidence { get; init; }
}

/// <summary>How far a finding can be trusted.</summary>
public enum FindingConfidence
{
    /// <summary>
    /// Less than a third of the response time, a quarter of the machine or more used by others, or windows of the run
    /// that disagree: measure again before acting.
    /// </summary>
    Low,

    /// <summary>
    /// A third of the response time or more, in most windows of the run; or found by elimination, or on processors that
    /// are not full.
    /// </summary>
    Medium,

    /// <summary>
    /// Half of the response time or more, measured at the resource itself or on one that is full, in three quarters of
    /// the windows, on a machine that others hardly used.
    /// </summary>
    High,
}

/// <summary>One resource of the sweep: guilty, exonerated, or not examined and why.</summary>
public sealed record ResourceResult
{
    /// <summary>
    /// The resource: stalls, service CPU, database CPU, other processes, compilation, garbage collection, WAL flush,
    /// locks, disk, other waits, connection pool, service queue, event delivery, event consumer, waits in the service,
    /// generator.
    /// </summary>
    public required string Resource { get; init; }

    /// <summary>The outcome of the examination.</summary>
    public required ResourceState State { get; init; }

    /// <summary>
    /// What an operation spends in it on average, seconds, at most the response time; null when it was not examined.
    /// </summary>
    public double? ImpactSecondsPerOperation { get; init; }

    /// <summary>Its busy share, 0 to 1; null when it has none or that is not known.</summary>
    public double? Utilisation { get; init; }

    /// <summary>
    /// What it would allow by itself, operations per second, by the utilisation law: servers / demand. Null when its
    /// demand is not known or it has no fixed number of servers.
    /// </summary>
    public double? LimitPerSecond { get; init; }

    /// <summary>What was measured, a sentence each; why nothing was, when it was not examined.</summary>
    public required IReadOnlyList<string> Evidence { get; init; }
}

/// <summary>The outcome of examining a resource.</summary>
public enum ResourceState
{
    /// <summary>It takes a considerable share of the response time.</summary>
    Guilty,

    /// <summary>
    /// It was examined, and takes no considerable share, or something speaks against it: its evidence says which.
    /// </summary>
    Exonerated,

    /// <summary>Nothing is known of it; it may or may not be what limits.</summary>
    NotExamined,
}

/// <summary>
/// What one run had found out of a scenario that was merged from several. The unit of repetition is the run, not the
/// operation: intervals and tests are made of these, never of the operations of all runs in one heap.
/// </summary>
public sealed record MergedPart
{
    public required string RunId { get; init; }

    /// <summary>When the scenario's load began, else its run, UTC.</summary>
    public required DateTimeOffset StartedUtc { get; init; }

    public required long Operations { get; init; }
    public required long Completed { get; init; }
    public required double DurationMs { get; init; }

    /// <summary>Completed operations per second of <see cref="DurationMs"/>.</summary>
    public required double ThroughputPerSecond { get; init; }

    /// <summary>Latency of operations that succeeded.</summary>
    public required LatencyResult Latency { get; init; }

    public IReadOnlyDictionary<string, LatencyResult> Phases { get; init; } = new Dictionary<string, LatencyResult>();
    public IReadOnlyDictionary<string, double?> PerOperation { get; init; } = new Dictionary<string, double?>();
}
