namespace LoadTesting.Core.Results;

/// <summary>What one scenario found out.</summary>
public sealed record ScenarioResult
{
    /// <summary>
    /// Full name: <c>profile-scenario</c>, with the suffix <c>-http</c> over HTTP, and with its <see cref="Transport"/>
    /// behind where it has one.
    /// </summary>
    public required string Name { get; init; }

    /// <summary>Value of the test's <c>Category</c> trait.</summary>
    public required string Tier { get; init; }

    /// <summary>Backend combination.</summary>
    public required string Profile { get; init; }

    public required HostingKind Hosting { get; init; }

    /// <summary>
    /// What carried the events to their consumers where that was not the hosting's own transport, e.g. <c>rabbitmq</c>;
    /// else null.
    /// </summary>
    public string? Transport { get; init; }

    /// <summary>What drove the load, e.g. <c>builtin</c>.</summary>
    public required string LoadEngine { get; init; }

    /// <summary>
    /// The load model as text: open (latency from the intended start) or closed, with its rate or its copies.
    /// </summary>
    public required string LoadModel { get; init; }

    /// <summary>SHA-256 of what was run (definitions and payloads); results compare only when it is equal.</summary>
    public string? DefinitionHash { get; init; }

    /// <summary>When the scenario's load began, UTC.</summary>
    public DateTimeOffset? StartedUtc { get; init; }

    public required long Operations { get; init; }

    /// <summary>Operations in flight at most; null for an open model.</summary>
    public int? Concurrency { get; init; }

    /// <summary>Workers the scenario asks for; null if it leaves that open.</summary>
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
    /// The generator's clocks, e.g. <c>scheduleLag</c>, <c>service</c> and <c>response</c>; empty when they do not
    /// differ.
    /// </summary>
    public IReadOnlyDictionary<string, LatencyResult> Clocks { get; init; } = new Dictionary<string, LatencyResult>();

    /// <summary>Latency of each step. Phases may overlap, so they need not add up.</summary>
    public IReadOnlyDictionary<string, LatencyResult> Phases { get; init; } = new Dictionary<string, LatencyResult>();

    /// <summary>
    /// When phases begin on average, milliseconds from the beginning of their operation; of those of which that is
    /// known.
    /// </summary>
    public IReadOnlyDictionary<string, double>? PhaseStarts { get; init; }

    /// <summary>
    /// The server's own split: <c>queueWait</c>, <c>execution</c>, <c>commit</c>, <c>publish</c>, <c>delivery</c>; null
    /// when its clock is another.
    /// </summary>
    public IReadOnlyDictionary<string, LatencyResult>? ServerSplit { get; init; }

    /// <summary>
    /// The requests that the operations took; null if a step is more or less than a request.
    /// </summary>
    public RequestResult? Requests { get; init; }

    /// <summary>The command that runs the scenario again; null if none was given.</summary>
    public string? Reproduce { get; init; }

    /// <summary>
    /// The parts of a soak that was resumed after its process had died, this one last; null if it ran in one piece.
    /// </summary>
    public IReadOnlyList<SoakSegment>? Segments { get; init; }

    /// <summary>Where every operation ended; null only in records of systems that did not keep one.</summary>
    public LedgerResult? Ledger { get; init; }

    /// <summary>The scenario over time; null in merged results.</summary>
    public TimelineResult? Timeline { get; init; }

    /// <summary>When nothing completed although work was in flight; null if nothing looked.</summary>
    public IReadOnlyList<StallResult>? Stalls { get; init; }

    /// <summary>Failures by code and message, the most frequent first; null where they were not kept.</summary>
    public IReadOnlyList<ErrorResult>? Errors { get; init; }

    /// <summary>
    /// The load that warmed the system up, apart from every other figure; null if nothing warmed it up.
    /// </summary>
    public WarmUpLoadResult? WarmUp { get; init; }

    /// <summary>The rules that the scenario declares, judged; empty if it declares none.</summary>
    public IReadOnlyList<ThresholdResult>? Thresholds { get; init; }

    public BackendCounters? Backend { get; init; }

    /// <summary>Processor and memory of the processes involved.</summary>
    public ResourcesResult? Resources { get; init; }

    /// <summary>Whether the generator itself was the limit.</summary>
    public GeneratorResult? Generator { get; init; }

    /// <summary>
    /// Throughput as a share of each ceiling (1 = as many operations as the ceiling's own unit), by the ceiling's name.
    /// </summary>
    public IReadOnlyDictionary<string, double> CeilingShares { get; init; } = new Dictionary<string, double>();

    /// <summary>Where the response time goes, by resource; null if nothing looked for that.</summary>
    public FindingsResult? Findings { get; init; }

    /// <summary>
    /// Whether the result may be believed, and how quiet the machine was; null in records of systems that did not
    /// check.
    /// </summary>
    public ValidityResult? Validity { get; init; }

    /// <summary>
    /// What was done on purpose to make the result worse, e.g. <c>delay:+10%</c>; null if nothing was. Such a result
    /// is no baseline.
    /// </summary>
    public string? Injected { get; init; }

    /// <summary>
    /// When somebody ended the load before its time, and how much of it had begun; null where nobody did. Never with a
    /// verdict of passed.
    /// </summary>
    public string? Partial { get; init; }

    /// <summary>
    /// The part of a load that this is, and not the whole: never with a verdict of passed. Null in all other results.
    /// </summary>
    public PartResult? Part { get; init; }

    /// <summary>Passed, failed or inconclusive, and why.</summary>
    public required VerdictResult Verdict { get; init; }

    /// <summary>
    /// The parts that this was merged from, which several processes drove at the same time; null in all other results.
    /// </summary>
    public IReadOnlyList<PartResult>? Parts { get; init; }

    /// <summary>The runs this was merged from, each with its own values; null for the result of a single run.</summary>
    public IReadOnlyList<MergedPart>? Runs { get; init; }

    /// <summary>Why a member is null, and other remarks.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>
    /// Operations of a single run: the load is alike however many runs were merged. Null when those of the runs differ.
    /// </summary>
    public long? OperationsOfEachRun() =>
        Runs is not { Count: > 0 } runs ? Operations : runs.All(
            run => run.Operations == runs[0].Operations) ? runs[0].Operations : null;

    /// <summary>
    /// The name without its profile prefix: what rows are matched on across profiles, together with
    /// <see cref="Hosting"/>.
    /// </summary>
    public string NameWithoutProfile() =>
        Name.StartsWith(Profile + "-", StringComparison.Ordinal) ? Name[(Profile.Length + 1)..] : Name;

    /// <summary>
    /// As <see cref="NameWithoutProfile"/>, and without the transport: what runs over different transports have in
    /// common.
    /// </summary>
    internal string NameWithoutTransport() =>
        NameWithoutProfile() is var name && Transport is not null
            && name.EndsWith("-" + Transport, StringComparison.Ordinal)
            ? name[..^(Transport.Length + 1)]
            : name;
}
