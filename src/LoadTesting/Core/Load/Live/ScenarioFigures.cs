namespace LoadTesting.Core.Load.Live;

/// <summary>
/// A running scenario at the end of its last complete second, or the whole load of one that has ended.
/// </summary>
/// <param name="Counts">All of the load so far.</param>
/// <param name="Latency">Of the iterations that completed in the last second; null before the first second is
/// over.</param>
/// <param name="Lag">Of the iterations that ended in the last second; null before the first second is over.</param>
/// <param name="Progress">As displays show it.</param>
internal sealed record ScenarioFigures(
    LoadCounts Counts, LatencyHistogram? Latency, LatencyHistogram? Lag, ScenarioProgress Progress);
