using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Trends;

/// <summary>One night of a series.</summary>
/// <param name="Utc">When its first run began.</param>
/// <param name="Run">That run; the others of the night are of the same commit.</param>
/// <param name="Value">Median of the night's repetitions; over that of the reference build, where the series is held against one.</param>
/// <param name="Repetitions">Results it is the median of.</param>
public sealed record HistoryPoint(DateTimeOffset Utc, RunResult Run, double Value, int Repetitions);
