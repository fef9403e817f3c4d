namespace LoadTesting.Core.Load;

/// <summary>
/// The measurements of one step. A step has no schedule: its lag is the schedule lag of its iteration, by which it
/// would have started earlier, and its response time is its service time plus that lag.
/// </summary>
public sealed record StepStats
{
    public required string Name { get; init; }
    public required MeasurementStats Ok { get; init; }
    public required MeasurementStats Fail { get; init; }

    /// <summary>Schedule lag of its iterations; empty in a closed model.</summary>
    public required LatencyHistogram ScheduleLag { get; init; }

    /// <summary>
    /// Measurements whose end was before their start, because the timestamps come from different clocks or places. They
    /// count as zero.
    /// </summary>
    public required long EndBeforeStart { get; init; }

    internal static StepStats From(string name, Meter meter, LoadModel model, TimeSpan duration)
    {
        var ended = meter.Ok.Count + meter.Fail.Count;
        return new StepStats
        {
            Name = name,
            Ok = meter.Ok.ToResult(model, ended, duration),
            Fail = meter.Fail.ToResult(model, ended, duration),
            ScheduleLag = meter.ScheduleLag,
            EndBeforeStart = meter.EndBeforeStart,
        };
    }
}
