namespace LoadTesting.Core.Http.Sweep;

/// <summary>One client at one step in one round.</summary>
public sealed record SweepSample
{
    /// <summary>Successful responses.</summary>
    public required long Requests { get; init; }

    /// <summary>Successful responses per second of real time.</summary>
    public required double RequestsPerSecond { get; init; }

    /// <summary>All other requests.</summary>
    public required long Errors { get; init; }

    /// <summary>The most frequent error; null if there was none.</summary>
    public string? Error { get; init; }

    /// <summary>Percentile of the time from request to response; null if the client does not report it.</summary>
    public double? P50Ms { get; init; }

    public double? P95Ms { get; init; }
    public double? P99Ms { get; init; }

    /// <summary>Processors that the client used; null if unknown.</summary>
    public double? ClientCores { get; init; }

    /// <summary>Processors that the service used; null if unknown.</summary>
    public double? ServiceCores { get; init; }

    /// <summary>Peak memory of this process; null for an external client.</summary>
    public long? ClientBytes { get; init; }
}
