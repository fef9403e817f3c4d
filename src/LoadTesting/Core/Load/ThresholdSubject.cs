namespace LoadTesting.Core.Load;

/// <summary>The measurements that a threshold judges: of a scenario, or of one of its steps or phases.</summary>
/// <param name="Latency">Latency of successes.</param>
/// <param name="Failed">Number of failures.</param>
/// <param name="Dropped">Number of iterations that never started.</param>
/// <param name="ThroughputPerSecond">Successes per second of real time.</param>
public sealed record ThresholdSubject(LatencyHistogram Latency, long Failed, long Dropped, double ThroughputPerSecond)
{
    /// <summary>Successes and failures.</summary>
    public long Ended => Latency.Count + Failed;

    /// <summary>The iterations, for rules that are code; null if only operations are known.</summary>
    public ScenarioStats? Stats { get; init; }

    internal static ThresholdSubject Of(ScenarioStats stats, string? stepName)
    {
        var (ok, failed) = stepName is null
            ? (stats.Ok, stats.Fail.Count)
            : stats.FindStep(stepName) is { } step ? (step.Ok, step.Fail.Count) : (null, 0);
        return new ThresholdSubject(
            ok?.Latency ?? new LatencyHistogram(), failed, stats.Dropped - stats.DroppedAfterStop,
            ok?.RatePerSecond ?? 0)
        {
            Stats = stats,
        };
    }
}
