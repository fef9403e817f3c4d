namespace LoadTesting.Core.Results;

/// <summary>
/// Everything one run found out: the document in <c>run.json</c>, in the file of each scenario (then with that scenario alone) and in a
/// stored baseline. Its JSON Schema is exported by <see cref="ResultSchema"/>.
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

    /// <summary>Whether the work tree differed from <see cref="Commit"/>; null when that could not be found out.</summary>
    public bool? Dirty { get; init; }

    /// <summary>The machine, the runtime and the backends.</summary>
    public required EnvironmentInfo Environment { get; init; }

    /// <summary>
    /// Ceilings measured in the same run. With several profiles a member is filled when exactly one profile measured it; the profiles
    /// stand side by side in <see cref="CeilingsByProfile"/>.
    /// </summary>
    public CeilingsResult? Ceilings { get; init; }

    public IReadOnlyDictionary<string, CeilingsResult> CeilingsByProfile { get; init; } = new Dictionary<string, CeilingsResult>();

    /// <summary>The scenarios, in the order in which they finished.</summary>
    public IReadOnlyList<ScenarioResult> Scenarios { get; init; } = [];

    /// <summary>
    /// That somebody ended the run before its time, with what was not measured any more; null where nobody did. Such a run is no baseline
    /// and passes no gate, whatever its scenarios say.
    /// </summary>
    public string? Partial { get; init; }

    /// <summary>Ladders among the scenarios, and searches for the capacity.</summary>
    public IReadOnlyList<CapacityResult> Capacity { get; init; } = [];

    /// <summary>What was asked for and could not be run, with the reason.</summary>
    public IReadOnlyList<NotExercised> NotExercised { get; init; } = [];

    /// <summary>Remarks on the run as a whole, among them why a member is null.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>Where a run was made. Null means that the platform does not report it.</summary>
public sealed record EnvironmentInfo
{
    /// <summary>Why <see cref="Backend"/> is null in a run of several profiles.</summary>
    internal const string SeveralBackends = "backend is null: the run has several profiles, see backends.";

    /// <summary>
    /// SHA-256 (lower-case hex) of the stable part: processor, cores, memory in whole GiB, architecture, operating system, kernel,
    /// runtime, collector mode and container limits. Times are gated only between runs of equal fingerprint.
    /// </summary>
    public string? Fingerprint { get; init; }

    /// <summary>Readable name of the machine's class: processor, cores and memory, usable as a folder name.</summary>
    public string? MachineClass { get; init; }

    /// <summary>Processor model as the kernel names it.</summary>
    public string? CpuModel { get; init; }

    /// <summary>Logical processors this process may use.</summary>
    public int? Cores { get; init; }

    public long? MemoryBytes { get; init; }

    /// <summary>Process architecture, e.g. <c>X64</c>.</summary>
    public string? Architecture { get; init; }

    /// <summary>Operating system as text.</summary>
    public string? Os { get; init; }

    public string? Kernel { get; init; }

    /// <summary>Runtime as text, e.g. <c>.NET 10.0.1</c>.</summary>
    public string? Dotnet { get; init; }

    /// <summary>Version of the SDK that answers in the repository.</summary>
    public string? Sdk { get; init; }

    /// <summary>Garbage collector: <c>server</c> or <c>workstation</c>, and whether concurrent.</summary>
    public string? GcMode { get; init; }

    /// <summary>Loaded assemblies that were built without optimisation; null when that was not recorded.</summary>
    public IReadOnlyList<string>? Unoptimised { get; init; }

    /// <summary>Processor limit of the control group in cores; null when there is none.</summary>
    public double? CpuLimitCores { get; init; }

    /// <summary>Memory limit of the control group in bytes; null when there is none.</summary>
    public long? MemoryLimitBytes { get; init; }

    /// <summary>Identity of this boot; monotonic timestamps compare only within one.</summary>
    public string? BootId { get; init; }

    /// <summary>Load averages over 1, 5 and 15 minutes when the run began.</summary>
    public IReadOnlyList<double>? LoadAverageBefore { get; init; }

    /// <summary>Load averages over 1, 5 and 15 minutes after the newest scenario.</summary>
    public IReadOnlyList<double>? LoadAverageAfter { get; init; }

    /// <summary>Share of processor time, 0 to 1, that the hypervisor gave to others during the run.</summary>
    public double? StealShare { get; init; }

    /// <summary>The backend of a run of one profile; null when there are several, which stand in <see cref="Backends"/>.</summary>
    public BackendInfo? Backend { get; init; }

    /// <summary>The backend of each profile.</summary>
    public IReadOnlyDictionary<string, BackendInfo> Backends { get; init; } = new Dictionary<string, BackendInfo>();

    /// <summary>Why a member is null, where that is not plain.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>The server behind a profile, as it described itself after it had started.</summary>
public sealed record BackendInfo
{
    /// <summary>Product, e.g. <c>PostgreSQL</c>.</summary>
    public string? Product { get; init; }

    /// <summary>Version as the server reports it.</summary>
    public string? Version { get; init; }

    /// <summary>Durability class in a word or two, e.g. <c>durable</c> or <c>none</c>. Unlike classes are never ranked.</summary>
    public string? Durability { get; init; }

    /// <summary>
    /// How the server was provisioned, e.g. <c>external</c>, <c>native</c> or an image with its digest. Never a connection string.
    /// </summary>
    public string? Provision { get; init; }

    /// <summary>Settings that bear on durability and speed, read back from the server.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();

    /// <summary>Why a member is null, and which provisioners failed before this one.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>
/// What the parts below the system can do on this machine, measured in the same run: no result can honestly pass them by far.
/// </summary>
public sealed record CeilingsResult
{
    /// <summary>Forced writes of one page per second to the backend's file system, one writer.</summary>
    public double? FsyncPerSecond { get; init; }

    /// <summary>Commits of one inserted row per second over one connection.</summary>
    public double? CommitsPerSecond { get; init; }

    /// <summary>Commits of one inserted row per second over <see cref="ConcurrentClients"/> connections.</summary>
    public double? ConcurrentCommitsPerSecond { get; init; }

    /// <summary>Connections used for <see cref="ConcurrentCommitsPerSecond"/>.</summary>
    public int? ConcurrentClients { get; init; }

    /// <summary>Median time of the smallest query (<c>SELECT 1</c>) over one connection, milliseconds.</summary>
    public double? RoundTripMs { get; init; }

    /// <summary>Empty HTTP requests per second to the service's host.</summary>
    public double? EmptyHttpPerSecond { get; init; }

    /// <summary>
    /// Events per second over the transport of results that name one, published and consumed without a system under test.
    /// </summary>
    public double? TransportEventsPerSecond { get; init; }

    /// <summary>Median time of one such event from its publish to its consumer, milliseconds.</summary>
    public double? TransportMs { get; init; }

    /// <summary>Why a member is null, and how the others were measured.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>The members that exactly one of several profiles measured; null when no profile measured any.</summary>
    public static CeilingsResult? Common(IReadOnlyDictionary<string, CeilingsResult> byProfile)
    {
        ArgumentNullException.ThrowIfNull(byProfile);
        if (byProfile.Count <= 1)
        {
            return byProfile.Values.FirstOrDefault();
        }

        return new CeilingsResult
        {
            FsyncPerSecond = Only(byProfile, c => c.FsyncPerSecond),
            CommitsPerSecond = Only(byProfile, c => c.CommitsPerSecond),
            ConcurrentCommitsPerSecond = Only(byProfile, c => c.ConcurrentCommitsPerSecond),
            ConcurrentClients = (int?)Only(byProfile, c => c.ConcurrentClients),
            RoundTripMs = Only(byProfile, c => c.RoundTripMs),
            EmptyHttpPerSecond = Only(byProfile, c => c.EmptyHttpPerSecond),
            TransportEventsPerSecond = Only(byProfile, c => c.TransportEventsPerSecond),
            TransportMs = Only(byProfile, c => c.TransportMs),
            Notes = ["A value stands here when exactly one profile measured it; ceilingsByProfile has them all."],
        };
    }

    private static double? Only(IReadOnlyDictionary<string, CeilingsResult> byProfile, Func<CeilingsResult, double?> member)
    {
        var measured = byProfile.Values.Select(member).Where(value => value is not null).ToList();
        return measured.Count == 1 ? measured[0] : null;
    }
}

/// <summary>A profile, or a scenario of it, that this run left out.</summary>
/// <param name="Profile">Profile, or the full scenario name when only that scenario was left out.</param>
/// <param name="Reason">Why.</param>
/// <param name="Command">The command or setting that enables it; null when nothing on this machine would.</param>
public sealed record NotExercised(string Profile, string Reason, string? Command);

/// <summary>What one scenario found out.</summary>
public sealed record ScenarioResult
{
    /// <summary>
    /// Full name: <c>profile-scenario</c>, with the suffix <c>-http</c> over HTTP, and with its <see cref="Transport"/> behind where it has
    /// one.
    /// </summary>
    public required string Name { get; init; }

    /// <summary>Value of the test's <c>Category</c> trait.</summary>
    public required string Tier { get; init; }

    /// <summary>Backend combination.</summary>
    public required string Profile { get; init; }

    public required HostingKind Hosting { get; init; }

    /// <summary>
    /// What carried the events to their consumers where that was not the hosting's own transport, e.g. <c>rabbitmq</c>; else null.
    /// </summary>
    public string? Transport { get; init; }

    /// <summary>What drove the load, e.g. <c>builtin</c>.</summary>
    public required string LoadEngine { get; init; }

    /// <summary>The load model as text: open (latency from the intended start) or closed, with its rate or its copies.</summary>
    public required string LoadModel { get; init; }

    /// <summary>SHA-256 of what was run (definitions and payloads); results compare only when it is equal.</summary>
    public string? DefinitionHash { get; init; }

    /// <summary>When the scenario's load began, UTC.</summary>
    public DateTimeOffset? StartedUtc { get; init; }

    public required long Operations { get; init; }

    /// <summary>Operations in flight at most; null for an open model.</summary>
    public int? Concurrency { get; init; }

    /// <summary>Workers the scenario asks for; null where it leaves that open.</summary>
    public int? SignalWorkers { get; init; }

    /// <summary>Lanes that really ran.</summary>
    public int? Lanes { get; init; }

    public required double DurationMs { get; init; }

    /// <summary>Completed operations per second of <see cref="DurationMs"/>.</summary>
    public required double ThroughputPerSecond { get; init; }

    /// <summary>Latency of operations that succeeded.</summary>
    public required LatencyResult Latency { get; init; }

    /// <summary>Latency of operations that failed; null when none did.</summary>
    public LatencyResult? FailedLatency { get; init; }

    /// <summary>
    /// The generator's clocks, e.g. <c>scheduleLag</c>, <c>service</c> and <c>response</c>; empty when they do not differ.
    /// </summary>
    public IReadOnlyDictionary<string, LatencyResult> Clocks { get; init; } = new Dictionary<string, LatencyResult>();

    /// <summary>Latency of each step. Phases may overlap, so they need not add up.</summary>
    public IReadOnlyDictionary<string, LatencyResult> Phases { get; init; } = new Dictionary<string, LatencyResult>();

    /// <summary>
    /// When phases begin on average, milliseconds from the beginning of their operation; of those of which that is known.
    /// </summary>
    public IReadOnlyDictionary<string, double>? PhaseStarts { get; init; }

    /// <summary>
    /// The server's own split: <c>queueWait</c>, <c>execution</c>, <c>commit</c>, <c>publish</c>, <c>delivery</c>; null when its clock is
    /// another.
    /// </summary>
    public IReadOnlyDictionary<string, LatencyResult>? ServerSplit { get; init; }

    /// <summary>
    /// The requests that the operations took; null where a step is more or less than a request.
    /// </summary>
    public RequestResult? Requests { get; init; }

    /// <summary>The command that runs the scenario again; null where nobody gave one.</summary>
    public string? Reproduce { get; init; }

    /// <summary>
    /// The parts of a soak that was resumed after its process had died, this one last; null where it ran in one piece.
    /// </summary>
    public IReadOnlyList<SoakSegment>? Segments { get; init; }

    /// <summary>Where every operation ended; null only in records of systems that did not keep one.</summary>
    public LedgerResult? Ledger { get; init; }

    /// <summary>The scenario over time; null in merged results.</summary>
    public TimelineResult? Timeline { get; init; }

    /// <summary>When nothing completed although work was in flight; null where nothing looked.</summary>
    public IReadOnlyList<StallResult>? Stalls { get; init; }

    /// <summary>Failures by code and message, the most frequent first; null where they were not kept.</summary>
    public IReadOnlyList<ErrorResult>? Errors { get; init; }

    /// <summary>The rules that the scenario declares, judged; empty where it declares none.</summary>
    public IReadOnlyList<ThresholdResult>? Thresholds { get; init; }

    public BackendCounters? Backend { get; init; }

    /// <summary>Processor and memory of the processes involved.</summary>
    public ResourcesResult? Resources { get; init; }

    /// <summary>Whether the generator itself was the limit.</summary>
    public GeneratorResult? Generator { get; init; }

    /// <summary>Throughput as a share of each ceiling (1 = as many operations as the ceiling's own unit), by the ceiling's name.</summary>
    public IReadOnlyDictionary<string, double> CeilingShares { get; init; } = new Dictionary<string, double>();

    /// <summary>Where the response time goes, by resource; null where nothing looked for that.</summary>
    public FindingsResult? Findings { get; init; }

    /// <summary>Whether the result may be believed, and how quiet the machine was; null in records of systems that did not check.</summary>
    public ValidityResult? Validity { get; init; }

    /// <summary>
    /// What was done on purpose to make the result worse, e.g. <c>delay:+10%</c>; null where nothing was. Such a result is no baseline.
    /// </summary>
    public string? Injected { get; init; }

    /// <summary>
    /// When somebody ended the load before its time, and how much of it had begun; null where nobody did. Never with a verdict of passed.
    /// </summary>
    public string? Partial { get; init; }

    /// <summary>
    /// The part of a load that this is, and not the whole: never with a verdict of passed. Null in all other results.
    /// </summary>
    public PartResult? Part { get; init; }

    /// <summary>Passed, failed or inconclusive, and why.</summary>
    public required VerdictResult Verdict { get; init; }

    /// <summary>The parts that this was merged from, which several processes drove at the same time; null in all other results.</summary>
    public IReadOnlyList<PartResult>? Parts { get; init; }

    /// <summary>The runs this was merged from, each with its own values; null for the result of a single run.</summary>
    public IReadOnlyList<MergedPart>? Runs { get; init; }

    /// <summary>Why a member is null, and other remarks.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Operations of a single run: the load is alike however many runs were merged. Null when those of the runs differ.</summary>
    public long? OperationsOfEachRun() =>
        Runs is not { Count: > 0 } runs ? Operations : runs.All(run => run.Operations == runs[0].Operations) ? runs[0].Operations : null;

    /// <summary>
    /// The name without its profile prefix: what rows are matched on across profiles, together with <see cref="Hosting"/>.
    /// </summary>
    public string NameWithoutProfile() =>
        Name.StartsWith(Profile + "-", StringComparison.Ordinal) ? Name[(Profile.Length + 1)..] : Name;

    /// <summary>
    /// As <see cref="NameWithoutProfile"/>, and without the transport: what runs over different transports have in common.
    /// </summary>
    internal string NameWithoutTransport() =>
        NameWithoutProfile() is var name && Transport is not null && name.EndsWith("-" + Transport, StringComparison.Ordinal)
            ? name[..^(Transport.Length + 1)]
            : name;
}

/// <summary>Where the system under test ran.</summary>
public enum HostingKind
{
    /// <summary>In the process of the generator.</summary>
    InProcess,

    /// <summary>In a process of its own, reached over HTTP.</summary>
    Http,
}

/// <summary>
/// A latency distribution in milliseconds. All figures are printed whatever their number, with <see cref="N"/> beside them: below 100
/// samples p99 is the greatest or nearly so, and says no more than that.
/// </summary>
public sealed record LatencyResult
{
    public required long N { get; init; }

    /// <summary>Exact mean; null without samples.</summary>
    public double? AverageMs { get; init; }

    /// <summary>Median; null without samples.</summary>
    public double? P50Ms { get; init; }

    /// <summary>95th percentile; null without samples.</summary>
    public double? P95Ms { get; init; }

    /// <summary>99th percentile; null without samples.</summary>
    public double? P99Ms { get; init; }

    /// <summary>Exact maximum; null without samples.</summary>
    public double? MaxMs { get; init; }

    /// <summary>
    /// The whole distribution in the sparse form of <see cref="LatencyHistogram.Parse(string)"/>; null where it was not kept.
    /// </summary>
    public string? Histogram { get; init; }

    /// <summary>The figures of a histogram, and the histogram itself.</summary>
    public static LatencyResult From(LatencyHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        if (histogram.Count == 0)
        {
            return new LatencyResult { N = 0 };
        }

        return new LatencyResult
        {
            N = histogram.Count,
            AverageMs = histogram.AverageMs,
            P50Ms = histogram.PercentileMs(50),
            P95Ms = histogram.PercentileMs(95),
            P99Ms = histogram.PercentileMs(99),
            MaxMs = histogram.MaxMs,
            Histogram = histogram.ToSparseString(),
        };
    }
}

/// <summary>
/// Double-entry account of a scenario: every operation that was asked for ends in exactly one place. A result counts only when the
/// account balances to the unit.
/// </summary>
public sealed record LedgerResult
{
    /// <summary>Operations the load model asked for.</summary>
    public required long Requested { get; init; }

    /// <summary>Not sent because the generator could not start them in time.</summary>
    public long Dropped { get; init; }

    /// <summary>Refused by the system, which said so (e.g. too busy), and therefore without effect.</summary>
    public long Refused { get; init; }

    /// <summary>Sent, but the answer was lost, so that nobody knows whether they started.</summary>
    public long Unknown { get; init; }

    /// <summary>Accepted by the system.</summary>
    public required long Started { get; init; }

    public required long Completed { get; init; }

    /// <summary>Ended in failure.</summary>
    public long Failed { get; init; }

    public long Cancelled { get; init; }

    /// <summary>Poison messages, dead-lettered.</summary>
    public long DeadLettered { get; init; }

    /// <summary>Still waiting at the end, as intended.</summary>
    public long Waiting { get; init; }

    public long Suspended { get; init; }

    /// <summary>Neither ended nor rightly waiting at the deadline.</summary>
    public long Stuck { get; init; }

    /// <summary>Optimistic conflicts the system resolved by itself; no loss, but work done twice.</summary>
    public long RuntimeConflicts { get; init; }

    /// <summary>Completions the system recorded whose event never arrived.</summary>
    public long Lost { get; init; }

    /// <summary>Events that arrived more than once.</summary>
    public long Duplicate { get; init; }

    /// <summary>Events that arrived after their deadline.</summary>
    public long Late { get; init; }

    /// <summary>Events nobody had asked for.</summary>
    public long Unmatched { get; init; }

    /// <summary>Events with a lower number than one seen before in their stream; a fault where the transport promises order.</summary>
    public long OutOfOrder { get; init; }

    /// <summary>Events whose stream was one too many to follow: how many were out of order is then not known.</summary>
    public long Untracked { get; init; }

    /// <summary>Events that could not be kept until somebody asked for them: the counts of events are then incomplete.</summary>
    public long Overflowed { get; init; }

    /// <summary>
    /// Whether both equations hold and nothing was lost or doubled. Computed from the counts, never stored.
    /// </summary>
    public bool Balanced => Violations().Count == 0;

    /// <summary>Each violated rule with its numbers; empty when the account balances.</summary>
    public IReadOnlyList<string> Violations()
    {
        var violations = new List<string>();
        var sent = checked(Dropped + Refused + Unknown + Started);
        if (Requested != sent)
        {
            violations.Add($"requested {Requested} differs by {Requested - sent} from dropped {Dropped} + refused {Refused} + " +
                $"unknown {Unknown} + started {Started} = {sent}");
        }

        var ended = checked(Completed + Failed + Cancelled + DeadLettered + Waiting + Suspended + Stuck);
        if (Started != ended)
        {
            violations.Add($"started {Started} differs by {Started - ended} from completed {Completed} + failed {Failed} + " +
                $"cancelled {Cancelled} + deadLettered {DeadLettered} + waiting {Waiting} + suspended {Suspended} + stuck "
                + $"{Stuck} = {ended}");
        }

        AddIfAny(violations, Lost, "lost");
        AddIfAny(violations, Duplicate, "duplicate");
        AddNegatives(violations);
        return violations;
    }

    private static void AddIfAny(List<string> violations, long count, string name)
    {
        if (count > 0)
        {
            violations.Add($"{name} is {count} and must be 0");
        }
    }

    private void AddNegatives(List<string> violations)
    {
        foreach (var (name, count) in Counts())
        {
            if (count < 0)
            {
                violations.Add($"{name} is {count}; a count cannot be negative");
            }
        }
    }

    /// <summary>Every count under the name it has in JSON, in reading order.</summary>
    public IReadOnlyList<KeyValuePair<string, long>> Counts() =>
    [
        new("requested", Requested), new("dropped", Dropped), new("refused", Refused), new("unknown", Unknown), new("started", Started),
        new("completed", Completed), new("failed", Failed), new("cancelled", Cancelled), new("deadLettered", DeadLettered),
        new("waiting", Waiting), new("suspended", Suspended), new("stuck", Stuck), new("runtimeConflicts", RuntimeConflicts),
        new("lost", Lost), new("duplicate", Duplicate), new("late", Late), new("unmatched", Unmatched), new("outOfOrder", OutOfOrder),
        new("untracked", Untracked), new("overflowed", Overflowed),
    ];
}

/// <summary>What the backend counted while the scenario ran.</summary>
public sealed record BackendCounters
{
    /// <summary>Differences of the server's own counters, under the server's own names.</summary>
    public IReadOnlyDictionary<string, double> Raw { get; init; } = new Dictionary<string, double>();

    /// <summary>
    /// Counted cost per completed operation: <c>commits</c>, <c>walBytes</c>, <c>logicalReads</c>, <c>rows</c> and the like.
    /// </summary>
    public IReadOnlyDictionary<string, double?> PerOperation { get; init; } = new Dictionary<string, double?>();

    /// <summary>
    /// What counted a member of <see cref="PerOperation"/>, where it was not the server itself; null when all were its own.
    /// </summary>
    public IReadOnlyDictionary<string, string>? Sources { get; init; }

    /// <summary>Dominant waits, the greatest share first.</summary>
    public IReadOnlyList<WaitResult> Waits { get; init; } = [];

    /// <summary>Why a counter is missing.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>One class of waiting in the backend.</summary>
/// <param name="Name">The server's name for it.</param>
/// <param name="Share">Share of sampled session time, 0 to 1; null where a record has the name only.</param>
public sealed record WaitResult(string Name, double? Share);

/// <summary>
/// Processor and memory while the scenario ran, per process. Names carry their unit: <c>cpuSeconds</c>, <c>cpuCores</c>,
/// <c>peakMemoryBytes</c>, <c>allocatedBytesPerOperation</c>. In process the generator and the service are one process: the figures
/// stand under <see cref="Generator"/>.
/// </summary>
public sealed record ResourcesResult
{
    /// <summary>Processor seconds per completed operation.</summary>
    public const string CpuSecondsPerOperation = "cpuSecondsPerOperation";

    /// <summary>Managed memory that was allocated per completed operation, bytes.</summary>
    public const string AllocatedBytesPerOperation = "allocatedBytesPerOperation";

    /// <summary>The process that drives the load.</summary>
    public IReadOnlyDictionary<string, double?> Generator { get; init; } = new Dictionary<string, double?>();

    /// <summary>The system under test, when it has a process of its own.</summary>
    public IReadOnlyDictionary<string, double?> Service { get; init; } = new Dictionary<string, double?>();

    /// <summary>The backend's processes.</summary>
    public IReadOnlyDictionary<string, double?> Database { get; init; } = new Dictionary<string, double?>();
}

/// <summary>Health of the load generator during a scenario. Null means not measured for this load model.</summary>
public sealed record GeneratorResult
{
    public required GeneratorState Health { get; init; }

    /// <summary>Achieved rate over intended rate; 1 is on time.</summary>
    public double? AchievedRatio { get; init; }

    /// <summary>99th percentile of the time from intended to actual start, milliseconds.</summary>
    public double? ScheduleLagP99Ms { get; init; }

    /// <summary>Share of the mean response time, 0 to 1, that is schedule lag.</summary>
    public double? ScheduleLagShare { get; init; }

    /// <summary>Operations that could not be started.</summary>
    public long Dropped { get; init; }

    /// <summary>Processor time of the generator's process per second and core, 0 to 1.</summary>
    public double? CpuShare { get; init; }

    /// <summary>Share of time, 0 to 1, in which the collector had stopped the process.</summary>
    public double? GcPauseShare { get; init; }

    /// <summary>Longest queue of the thread pool, work items.</summary>
    public long? ThreadPoolQueueMax { get; init; }

    /// <summary>Greatest lateness of the generator's own ticker, milliseconds.</summary>
    public double? JitterMaxMs { get; init; }

    /// <summary>
    /// 99th percentile of the time that a work item waited for a thread of the generator's thread pool, milliseconds; null where that was not
    /// measured.
    /// </summary>
    public double? PoolDelayP99Ms { get; init; }

    /// <summary>
    /// Whether the pool's delay was long against the operations: the system's doing in its own process, the generator's over HTTP. Null
    /// where that was not measured.
    /// </summary>
    public PoolState? Pool { get; init; }

    /// <summary>Why the load ended before its time; null where it did not.</summary>
    public string? StopReason { get; init; }

    /// <summary>What led to the finding, a sentence each with value and limit.</summary>
    public IReadOnlyList<string> Evidence { get; init; } = [];
}

/// <summary>Whether the generator kept up.</summary>
public enum GeneratorState
{
    Healthy,

    /// <summary>It was itself the limit: the result says more about the generator than about the system.</summary>
    Bound,
}

/// <param name="Reasons">A sentence each, with value and limit; empty when passed without remark.</param>
public sealed record VerdictResult(VerdictOutcome Outcome, IReadOnlyList<string> Reasons);

public enum VerdictOutcome
{
    /// <summary>Correct, and within every threshold.</summary>
    Passed,

    /// <summary>Incorrect, or a threshold missed.</summary>
    Failed,

    /// <summary>The measurement says nothing about the system; it never becomes a baseline.</summary>
    Inconclusive,
}

/// <summary>
/// Whether the result may be believed. A failed check makes it invalid, which is another thing than slow; a veto says that the machine was
/// not quiet: the result stands, and is neither half of a pair nor a baseline.
/// </summary>
public sealed record ValidityResult
{
    /// <summary>Whether no check failed. Computed from <see cref="Checks"/>, never stored.</summary>
    public bool Valid => Checks.All(check => check.Outcome != CheckOutcome.Failed);

    /// <summary>Conservation, Little's law, warm-up and leaks.</summary>
    public IReadOnlyList<CheckResult> Checks { get; init; } = [];

    /// <summary>How quiet machine and generator were: steal, throttling, generator processor, schedule lag, collector pauses.</summary>
    public IReadOnlyList<CheckResult> Environment { get; init; } = [];

    /// <summary>The sentences of <see cref="Environment"/> beyond their limits; empty when quiet. Computed, never stored.</summary>
    public IReadOnlyList<string> Vetoes =>
        [.. Environment.Where(check => check.Outcome == CheckOutcome.Failed).Select(check => check.Reason)];

    /// <summary>
    /// Instances in flight by the service's own gauge against the client's rate times residence; null where its check is not applicable.
    /// </summary>
    public LittlesLawResult? LittlesLaw { get; init; }

    /// <summary>What of the measured part was still warm-up; null where its check is not applicable.</summary>
    public WarmUpResult? WarmUp { get; init; }

    /// <summary>Slope of each resource over a soak; null where the run was too short for one.</summary>
    public IReadOnlyList<LeakResult>? Leaks { get; init; }
}

/// <summary>One check of a result, with what it found and what it allows.</summary>
/// <param name="Name">Name in camel case, e.g. <c>backlog</c>.</param>
/// <param name="Subject">What is wrong when it fails.</param>
/// <param name="Outcome">Passed, failed or not applicable.</param>
/// <param name="Value">What was found; null where it was not measured.</param>
/// <param name="Limit">The most that is allowed; null where it was not measured.</param>
/// <param name="Reason">What the value is, or why there is none, in a sentence with its unit.</param>
public sealed record CheckResult(string Name, CheckSubject Subject, CheckOutcome Outcome, double? Value, double? Limit, string Reason)
{
    /// <summary>A check that passes when the value is at most the limit. A value that is no number fails.</summary>
    public static CheckResult AtMost(string name, CheckSubject subject, double value, double limit, FormattableString reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        return new(name, subject, value <= limit ? CheckOutcome.Passed : CheckOutcome.Failed, Finite(value), limit,
            reason.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>A check that could not be made.</summary>
    public static CheckResult Not(string name, CheckSubject subject, string reason) =>
        new(name, subject, CheckOutcome.NotApplicable, null, null, reason);

    private static double? Finite(double value) => double.IsFinite(value) ? value : null;
}

public enum CheckOutcome
{
    /// <summary>Within the limit.</summary>
    Passed,

    /// <summary>Beyond the limit.</summary>
    Failed,

    /// <summary>It could not be made; its reason says why.</summary>
    NotApplicable,
}

/// <summary>What is wrong when a check fails.</summary>
public enum CheckSubject
{
    /// <summary>The system under test: it lost, doubled or leaked something.</summary>
    System,

    /// <summary>The measurement: its figures say nothing about the system.</summary>
    Measurement,
}

/// <summary>Where the measured part had settled. Reported only: every percentile counts every operation.</summary>
public sealed record WarmUpResult
{
    /// <summary>How it was found, e.g. <c>MSER-5</c>.</summary>
    public required string Method { get; init; }

    /// <summary>What was looked at: latency or the interval between completions.</summary>
    public required string Series { get; init; }

    /// <summary>Completions that were looked at.</summary>
    public required long Completions { get; init; }

    /// <summary>The first so many of them belong to the warm-up.</summary>
    public required long CutCompletions { get; init; }

    /// <summary>False where half of the series is not enough: it never settled.</summary>
    public required bool Steady { get; init; }

    /// <summary>Mean of the series without the cut, milliseconds.</summary>
    public required double SettledMeanMs { get; init; }

    /// <summary>Mean of all of the series, milliseconds.</summary>
    public required double MeanMs { get; init; }
}

/// <summary>How one resource changed over a soak: the slope of Theil and Sen over windows, with its 99 % interval.</summary>
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
/// Little's law, N = X R, between two observers: N is the service's integrated gauge on its own clock, X and R are the client's.
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

/// <summary>Where the response time of a scenario goes: ranked findings, and every resource guilty, exonerated or not examined.</summary>
public sealed record FindingsResult
{
    /// <summary>The mean response time that is divided up, seconds; null when no operation completed.</summary>
    public double? ResponseSeconds { get; init; }

    /// <summary>The part of it that no resource accounts for, seconds; null when no operation completed.</summary>
    public double? UnexplainedSeconds { get; init; }

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
    /// Few operations, most of the machine was used by others, or guilty with no measured impact: measure again before acting.
    /// </summary>
    Low,

    /// <summary>Most of the impact is queueing, charged to the resource because it was full and held the operations longest.</summary>
    Medium,

    /// <summary>Most of the impact was measured at the resource itself.</summary>
    High,
}

/// <summary>One resource of the sweep: guilty, exonerated, or not examined and why.</summary>
public sealed record ResourceResult
{
    /// <summary>
    /// The resource: service CPU, database CPU, WAL flush, locks, disk, other waits, connection pool, service queue, garbage collection,
    /// generator.
    /// </summary>
    public required string Resource { get; init; }

    /// <summary>What the examination came to.</summary>
    public required ResourceState State { get; init; }

    /// <summary>What an operation spends in it on average, seconds, at most the response time; null when it was not examined.</summary>
    public double? ImpactSecondsPerOperation { get; init; }

    /// <summary>Its busy share, 0 to 1; null when it has none or that is not known.</summary>
    public double? Utilisation { get; init; }

    /// <summary>
    /// What it would allow by itself, operations per second, by the utilisation law: servers / demand. Null when its demand is not known or
    /// it has no fixed number of servers.
    /// </summary>
    public double? LimitPerSecond { get; init; }

    /// <summary>What was measured, a sentence each; why nothing was, when it was not examined.</summary>
    public required IReadOnlyList<string> Evidence { get; init; }
}

/// <summary>What an examination of a resource came to.</summary>
public enum ResourceState
{
    /// <summary>It takes a considerable share of the response time.</summary>
    Guilty,

    /// <summary>It was examined, and takes no considerable share.</summary>
    Exonerated,

    /// <summary>Nothing is known of it; it may or may not be what limits.</summary>
    NotExamined,
}

/// <summary>
/// What one run had found out of a scenario that was merged from several. The unit of repetition is the run, not the operation: intervals
/// and tests are made of these, never of the operations of all runs in one heap.
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
