using LoadTesting.Core.Analysis.Statistics;

namespace LoadTesting.Core.Analysis.Trends;

/// <summary>A night from which on a series has another level.</summary>
/// <param name="Point">Place and size.</param>
/// <param name="Last">Last night of the old level.</param>
/// <param name="First">First night of the new level.</param>
/// <param name="IsWorse">Whether the new level is worse than the old.</param>
/// <param name="IsNew">Whether both methods see it, and did not without the newest night: it is told as new once.</param>
public sealed record HistoryChange(ChangePoint Point, HistoryPoint Last, HistoryPoint First, bool IsWorse, bool IsNew);
