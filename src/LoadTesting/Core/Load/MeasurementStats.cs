namespace LoadTesting.Core.Load;

/// <summary>The successes, or the failures, of a scenario or a step.</summary>
public sealed record MeasurementStats
{
    /// <summary>Open or closed; decides which clock <see cref="Latency"/> is.</summary>
    public required LoadModel Model { get; init; }

    /// <summary>How many.</summary>
    public required long Count { get; init; }

    /// <summary>Share of all that ended, 0 to 100; 0 where nothing ended.</summary>
    public required double Percent { get; init; }

    /// <summary>Per second of real time, not of planned time, and without pauses.</summary>
    public required double RatePerSecond { get; init; }

    /// <summary>Bytes moved, as far as the responses said.</summary>
    public required long SizeBytes { get; init; }

    /// <summary>Actual start to end.</summary>
    public required LatencyHistogram Service { get; init; }

    /// <summary>Intended start to end; the same as <see cref="Service"/> in a closed model, which intends nothing.</summary>
    public required LatencyHistogram Response { get; init; }

    /// <summary>The headline: response time in an open model, service time in a closed one.</summary>
    public LatencyHistogram Latency => Model == LoadModel.Open ? Response : Service;

    /// <summary>Counts by status code, the most frequent first.</summary>
    public required IReadOnlyList<StatusCodeCount> StatusCodes { get; init; }
}
