namespace LoadTesting.Core.Analysis.Trends;

/// <summary>A daily run from which on a series has another level.</summary>
/// <param name="Point">Place and size.</param>
/// <param name="Last">Last daily run of the old level.</param>
/// <param name="First">First daily run of the new level.</param>
/// <param name="IsWorse">Whether the new level is worse than the old.</param>
/// <param name="IsNew">Whether both methods see it, and did not without the history's newest daily run: it is reported
/// as new once, and never again once the series has ended.</param>
public sealed record HistoryChange(ChangePoint Point, HistoryPoint Last, HistoryPoint First, bool IsWorse, bool IsNew);
