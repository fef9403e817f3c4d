namespace LoadTesting.Core.Load.Live;

/// <summary>
/// The iterations of a scenario that ended in an interval. Rates are per second of the interval, including pauses.
/// </summary>
public sealed record ScenarioInterval
{
    public required string Name { get; init; }
    public required MeasurementStats Ok { get; init; }
    public required MeasurementStats Fail { get; init; }

    /// <summary>
    /// The steps in the order of their first run. Steps that end close to the boundary may be in the next interval.
    /// </summary>
    public required IReadOnlyList<StepStats> Steps { get; init; }
}
