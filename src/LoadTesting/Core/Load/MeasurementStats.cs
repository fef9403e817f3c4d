namespace LoadTesting.Core.Load;

/// <summary>The successes, or the failures, of a scenario or a step.</summary>
public sealed record MeasurementStats
{
    /// <summary>Open or closed; determines the clock of <see cref="Latency"/>.</summary>
    public required LoadModel Model { get; init; }

    public required long Count { get; init; }

    /// <summary>Share of all that ended, 0 to 100; 0 if nothing ended.</summary>
    public required double Percent { get; init; }

    /// <summary>Rate per second of real, not planned, time without pauses.</summary>
    public required double RatePerSecond { get; init; }

    /// <summary>Bytes of responses, as reported by them.</summary>
    public required long SizeBytes { get; init; }

    /// <summary>Bytes of requests, as reported by the responses.</summary>
    public long SentBytes { get; init; }

    /// <summary>Distribution of the sizes of responses that reported one.</summary>
    public SizeDistribution Sizes { get; init; } = SizeDistribution.Empty;

    /// <summary>Actual start to end.</summary>
    public required LatencyHistogram Service { get; init; }

    /// <summary>Intended start to end; the same as <see cref="Service"/> in a closed model.</summary>
    public required LatencyHistogram Response { get; init; }

    /// <summary>Response time in an open model, service time in a closed one.</summary>
    public LatencyHistogram Latency => Model == LoadModel.Open ? Response : Service;

    /// <summary>Counts by status code, the most frequent first.</summary>
    public required IReadOnlyList<StatusCodeCount> StatusCodes { get; init; }
}
