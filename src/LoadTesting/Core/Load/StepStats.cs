namespace LoadTesting.Core.Load;

/// <summary>
/// What one step measured. A step has no schedule of its own: had its iteration started on time, it would have started earlier by the
/// iteration's schedule lag, so that lag is the step's lag, and its response time is its service time and that lag.
/// </summary>
public sealed record StepStats
{
    /// <summary>The step.</summary>
    public required string Name { get; init; }

    /// <summary>Its successes.</summary>
    public required MeasurementStats Ok { get; init; }

    /// <summary>Its failures.</summary>
    public required MeasurementStats Fail { get; init; }

    /// <summary>Schedule lag of the iterations it ran in; empty in a closed model.</summary>
    public required LatencyHistogram ScheduleLag { get; init; }

    /// <summary>Measurements whose end lay before their start and which were counted as zero: their stamps come from different clocks or places.</summary>
    public required long EndBeforeStart { get; init; }
}
