namespace LoadTesting.Core.Load.Timelines;

/// <summary>
/// One interval of a timeline. Percentiles are of the operations that completed in it, on the clock of the scenario's
/// latency, and null if none did.
/// </summary>
public sealed record TimelinePoint : ProcessFigures
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

    [JsonConstructor]
    public TimelinePoint()
    {
    }

    internal TimelinePoint(ProcessFigures processes)
        : base(processes)
    {
    }
}
