namespace LoadTesting.Core.Load.Timelines;

/// <summary>
/// One interval of a timeline. Percentiles are of the operations that completed in it, on the clock of the scenario's
/// latency, and null if none did.
/// </summary>
public sealed record TimelinePoint
{
    /// <summary>Maximum number of errors named in an interval.</summary>
    public const int MostErrors = 4;

    /// <summary>Name of the sum of all other errors.</summary>
    public const string OtherErrors = "(others)";

    /// <summary>Beginning of the interval, milliseconds from the first intended start.</summary>
    public required long TMs { get; init; }

    /// <summary>Operations that the system accepted, by the time they began.</summary>
    public long Started { get; init; }

    public long Completed { get; init; }

    /// <summary>
    /// Accepted operations that ended without a completion, by the time that was known. The sum over all points is the
    /// ledger's started less completed.
    /// </summary>
    public long Failed { get; init; }

    /// <summary>
    /// Failed iterations by code and message, by the time that was known: the <see cref="MostErrors"/> most frequent of
    /// the interval, and <see cref="OtherErrors"/>. Null if none failed.
    /// </summary>
    public IReadOnlyDictionary<string, long>? Errors { get; init; }

    /// <summary>Operations that the system refused.</summary>
    public long Refused { get; init; }

    /// <summary>Operations that the generator did not send.</summary>
    public long Dropped { get; init; }

    /// <summary>Operations for which it is unknown whether they began.</summary>
    public long Unknown { get; init; }

    /// <summary>Operations that had started and not ended at the end of the interval.</summary>
    public long InFlight { get; init; }

    public double? P50Ms { get; init; }
    public double? P95Ms { get; init; }
    public double? P99Ms { get; init; }

    /// <summary>Exact maximum.</summary>
    public double? MaxMs { get; init; }

    /// <summary>
    /// Distribution of the latencies of completed operations, in the format of <see cref="CoarseLatencies"/>; null if
    /// none completed.
    /// </summary>
    public string? Latencies { get; init; }

    /// <summary>
    /// Histogram of the latencies of completed operations, in the format of
    /// <see cref="LatencyHistogram.Parse(string)"/>. Only in the result of a part of a load, so that parts add up
    /// exactly; otherwise null.
    /// </summary>
    public string? Histogram { get; init; }

    /// <summary>99th percentile of intended to actual start, milliseconds; null in a closed model.</summary>
    public double? ScheduleLagP99Ms { get; init; }

    /// <summary>
    /// 99th percentile of a work item's wait for a thread of the generator's thread pool, milliseconds; null if not
    /// measured.
    /// </summary>
    public double? PoolDelayP99Ms { get; init; }

    /// <summary>Processor shares of the interval; null if not measured.</summary>
    public TimelineCpu? Cpu { get; init; }

    /// <summary>
    /// Work waiting in the service at the end of the interval, by the service's own gauge; null if it has no readable
    /// gauge.
    /// </summary>
    public double? Backlog { get; init; }

    /// <summary>
    /// The waits of the server's active sessions, as average number of sessions (0.5: one session half of the time), in
    /// descending order, at most five. Uses the server's names, and CPU for sessions that did not wait. Null if not
    /// sampled.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Waits { get; init; }

    /// <summary>
    /// The service's own metrics by name, as last scraped within the interval; null if they were not. Counters count
    /// from the service's start.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Metrics { get; init; }
}
