namespace LoadTesting.Core.Load;

/// <summary>
/// A scenario over time, from the first intended start to the last completion, without warm-up. The sums over all points are those of the
/// ledger: <c>started</c>, <c>completed</c>, <c>refused</c>, <c>dropped</c> and <c>unknown</c> each equal the member of that name.
/// </summary>
public sealed record TimelineResult
{
    /// <summary>The most points of a timeline: when a run takes longer, neighbours are merged and the interval doubles.</summary>
    public const int MostPoints = 600;

    /// <summary>Length of a point, milliseconds: 1,000, or a power of two of that where the run was longer than 600 s.</summary>
    public required long IntervalMs { get; init; }

    /// <summary>
    /// One after the other without a gap; at most <see cref="MostPoints"/>. The last one ends with the run and may be shorter.
    /// </summary>
    public required IReadOnlyList<TimelinePoint> Points { get; init; }
}

/// <summary>
/// One interval of a timeline. Counts are of the interval; percentiles are of the operations that completed in it, by the clock of the
/// scenario's latency, and null where none did.
/// </summary>
public sealed record TimelinePoint
{
    /// <summary>The most errors of an interval that are named.</summary>
    public const int MostErrors = 4;

    /// <summary>Stands for all others.</summary>
    public const string OtherErrors = "(others)";

    /// <summary>Beginning of the interval, milliseconds from the first intended start.</summary>
    public required long TMs { get; init; }

    /// <summary>Operations that the system accepted, by when they began.</summary>
    public long Started { get; init; }

    public long Completed { get; init; }

    /// <summary>
    /// Accepted operations that ended without a completion, by when that was known: over all points the difference of the ledger's started
    /// and completed.
    /// </summary>
    public long Failed { get; init; }

    /// <summary>
    /// Iterations that failed by code and message, by when that was known: the most frequent of the interval, at most
    /// <see cref="MostErrors"/>, and <see cref="OtherErrors"/>. Null where none did.
    /// </summary>
    public IReadOnlyDictionary<string, long>? Errors { get; init; }

    /// <summary>Operations that the system refused.</summary>
    public long Refused { get; init; }

    /// <summary>Operations that the generator did not send.</summary>
    public long Dropped { get; init; }

    /// <summary>Operations of which nobody knows whether they began.</summary>
    public long Unknown { get; init; }

    /// <summary>Operations that had started and not ended at the end of the interval.</summary>
    public long InFlight { get; init; }

    public double? P50Ms { get; init; }
    public double? P95Ms { get; init; }
    public double? P99Ms { get; init; }

    /// <summary>Exact maximum.</summary>
    public double? MaxMs { get; init; }

    /// <summary>
    /// How the latencies of what completed are spread, in the form of <see cref="CoarseLatencies"/>; null where nothing completed.
    /// </summary>
    public string? Latencies { get; init; }

    /// <summary>
    /// All latencies of what completed, in the form of <see cref="LatencyHistogram.Parse(string)"/>: in the result of a part of a load, so
    /// that parts add up exactly; else null.
    /// </summary>
    public string? Histogram { get; init; }

    /// <summary>99th percentile of intended to actual start, milliseconds; null in a closed model, which intends nothing.</summary>
    public double? ScheduleLagP99Ms { get; init; }

    /// <summary>
    /// 99th percentile of the time that a work item waited for a thread of the generator's thread pool, milliseconds; null where it was not
    /// watched.
    /// </summary>
    public double? PoolDelayP99Ms { get; init; }

    /// <summary>Processor shares of the interval; null where nothing watched processes.</summary>
    public TimelineCpu? Cpu { get; init; }

    /// <summary>
    /// Work that waited in the service at the end of the interval, by the service's own gauge; null where it has none that can be read.
    /// </summary>
    public double? Backlog { get; init; }

    /// <summary>
    /// What the server's active sessions waited for, as sessions on average (0.5: one session half of the time), the most first, at most
    /// five; under the server's own names, and CPU for those that waited for nothing. Null where nothing sampled them.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Waits { get; init; }

    /// <summary>
    /// The service's own metrics, by their names there, as last scraped within the interval; null where they were not. Counters are as the
    /// service counts them, from its start.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Metrics { get; init; }
}

/// <summary>Processor time over real time and cores of the machine, each 0 to 1; null where a process was not watched.</summary>
/// <param name="Generator">The process that drives the load; in process it is the service too.</param>
/// <param name="Service">The service, where it has a process of its own.</param>
/// <param name="Database">The backend's processes.</param>
/// <param name="Machine">All of the machine, with what the hypervisor gave to others.</param>
public sealed record TimelineCpu(double? Generator, double? Service, double? Database, double? Machine);

/// <summary>Work was in flight, and nothing completed for the longer of 250 ms and ten median service times.</summary>
/// <param name="AtMs">Beginning, milliseconds from the first intended start.</param>
/// <param name="DurationMs">Until the next completion, or the end of the run; milliseconds.</param>
/// <param name="Iterations">Iterations that were in flight at its end. A closed model hides it from its percentiles: these are all that saw
/// it.</param>
/// <param name="Cause">Whose it is, by what else was seen at the time.</param>
public sealed record StallResult(double AtMs, double DurationMs, long Iterations, StallCause Cause)
{
    /// <summary>
    /// Sessions of the database on average in each wait, the most first, between the last sample before it and the first one after it; null
    /// where nothing was sampled. It explains a cause and decides none.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Waits { get; init; }
}

/// <summary>Operations that failed with one code and message.</summary>
/// <param name="Code">Status code; empty where there was none.</param>
/// <param name="Message">What came with it; of a code with many different messages the rest count as one whose message says so.</param>
/// <param name="Count">How often; at least 1.</param>
public sealed record ErrorResult(string Code, string Message, long Count)
{
    private const int LongestName = 80;

    /// <summary>The errors of several results: one for each code and message, the most frequent first.</summary>
    public static IReadOnlyList<ErrorResult> SumOf(IEnumerable<ErrorResult> errors) =>
    [
        .. errors.GroupBy(error => (error.Code, error.Message))
            .Select(same => new ErrorResult(same.Key.Code, same.Key.Message, same.Sum(error => error.Count)))
            .OrderByDescending(error => error.Count),
    ];

    /// <summary>Code and message, shortened: its name in <see cref="TimelinePoint.Errors"/>.</summary>
    internal string Name
    {
        get
        {
            var name = $"{Code} {Message}".Trim();
            return name.Length == 0 ? "without code or message" : name.Length <= LongestName ? name : name[..LongestName] + "…";
        }
    }
}

/// <summary>Whose a stall is.</summary>
public enum StallCause
{
    /// <summary>The system under test: nothing that was seen of generator and machine explains it.</summary>
    System,

    /// <summary>
    /// The generator's process: its collector paused it, or over HTTP its thread pool had no thread, or its consumer of events worked
    /// without a break.
    /// </summary>
    Generator,

    /// <summary>The machine stood still, or gave its processors to others.</summary>
    Machine,

    /// <summary>Generator and machine explain a part of it, or nothing watched them.</summary>
    Unknown,
}
