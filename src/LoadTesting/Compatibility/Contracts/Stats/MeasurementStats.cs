namespace LoadTesting.Contracts.Stats;

/// <summary>The successes, or the failures, of a scenario or a step.</summary>
public sealed class MeasurementStats
{
    public RequestStats Request { get; set; } = new();
    public LatencyStats Latency { get; set; } = new();
    public DataTransferStats DataTransfer { get; set; } = new();

    /// <summary>The most frequent first. Those of a scenario are its own and those of its steps.</summary>
    public StatusCodeStats[] StatusCodes { get; set; } = [];
}
