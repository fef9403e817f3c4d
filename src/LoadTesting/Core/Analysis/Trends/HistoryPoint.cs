namespace LoadTesting.Core.Analysis.Trends;

/// <summary>One daily run of a series.</summary>
/// <param name="Utc">When its first run began.</param>
/// <param name="Run">That run; the others of the daily run are of the same commit.</param>
/// <param name="Value">Median of the daily run's repetitions; over that of the reference build, where the series is
/// held against one.</param>
/// <param name="Repetitions">Results it is the median of.</param>
public sealed record HistoryPoint(DateTimeOffset Utc, RunResult Run, double Value, int Repetitions)
{
    /// <summary>Number of the daily run; commits measured in one daily run share it.</summary>
    public int DailyRun { get; init; }

    /// <summary>
    /// Of a capacity the widest bracket of the repetitions, in the unit of <see cref="Value"/>; else null.
    /// </summary>
    public IntervalResult? Interval { get; init; }

    /// <summary>Why the value does not count towards a level; null if it counts.</summary>
    public string? Flaw { get; init; }
}
