namespace LoadTesting.Core.Results;

/// <summary>
/// What one run had found out of a scenario that was merged from several. The unit of repetition is the run, not the operation: intervals
/// and tests are made of these, never of the operations of all runs in one heap.
/// </summary>
public sealed record MergedPart
{
    /// <summary>Name of the run.</summary>
    public required string RunId { get; init; }

    /// <summary>When the scenario's load began, else its run, UTC.</summary>
    public required DateTimeOffset StartedUtc { get; init; }

    /// <summary>Operations the scenario was to run.</summary>
    public required long Operations { get; init; }

    /// <summary>Operations that completed.</summary>
    public required long Completed { get; init; }

    /// <summary>Real time of the measured part, milliseconds.</summary>
    public required double DurationMs { get; init; }

    /// <summary>Completed operations per second of <see cref="DurationMs"/>.</summary>
    public required double ThroughputPerSecond { get; init; }

    /// <summary>Latency of operations that succeeded.</summary>
    public required LatencyResult Latency { get; init; }

    /// <summary>Latency of each step.</summary>
    public IReadOnlyDictionary<string, LatencyResult> Phases { get; init; } = new Dictionary<string, LatencyResult>();

    /// <summary>Counted cost per completed operation.</summary>
    public IReadOnlyDictionary<string, double?> PerOperation { get; init; } = new Dictionary<string, double?>();
}
