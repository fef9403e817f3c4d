namespace LoadTesting.Core.Load.Stalls;

/// <summary>Work was in flight, but nothing completed for the longer of 250 ms and ten median service times.</summary>
/// <param name="AtMs">Beginning, milliseconds from the first intended start.</param>
/// <param name="DurationMs">Until the next completion, or the end of the run; milliseconds.</param>
/// <param name="Iterations">Iterations in flight at its end. In a closed model only these show the stall in the
/// percentiles.</param>
/// <param name="Cause">The cause, by what else was observed at the time.</param>
public sealed record StallResult(double AtMs, double DurationMs, long Iterations, StallCause Cause)
{
    /// <summary>A stall of this length, in milliseconds, is long for any service time.</summary>
    public const double LongMs = 1_000;

    /// <summary>
    /// Average number of database sessions in each wait, in descending order, between the last sample before the stall
    /// and the first one after it; null if not sampled. It does not affect <see cref="Cause"/>.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Waits { get; init; }
}
