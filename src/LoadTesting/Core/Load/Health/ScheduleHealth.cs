using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Load.Health;

/// <summary>How well the schedule of one open scenario was kept.</summary>
internal sealed record ScheduleHealth(
    string Scenario, LatencyHistogram Lag, LatencyHistogram Response, double AchievedRatio, double DroppedShare)
{
    internal double LagP99Ms => Lag.PercentileMs(99);
    internal double LagShareOfP99 => Share(99);

    /// <summary>Null for a closed scenario: it has no schedule.</summary>
    internal static ScheduleHealth? Of(ScenarioStats result)
    {
        if (result.Model != LoadModel.Open)
        {
            return null;
        }

        var asked = result.Requested - result.DroppedAfterStop;
        var dropped = result.Dropped - result.DroppedAfterStop;
        return new ScheduleHealth(
            result.Name,
            result.ScheduleLag,
            LatencyHistogram.MergeAll([result.Ok.Response, result.Fail.Response]),
            asked - dropped > 0 ? (double)(result.Started - result.StartedLate) / (asked - dropped) : 0,
            asked > 0 ? (double)dropped / asked : 0);
    }

    /// <param name="limits">The limits.</param>
    /// <param name="ofSystem">Pool waits that the system caused; empty if the generator caused them.</param>
    internal IEnumerable<HealthEvidence> Evidence(GeneratorHealthLimits limits, LatencyHistogram ofSystem)
    {
        var tail = limits.TailOf(Lag.Count);
        var explained = tail > 0 && ofSystem.Count > 0 ? ofSystem.PercentileMs(tail) : 0;
        var late = tail > 0 ? Lag.PercentileMs(tail) - explained : 0;
        if (limits.MaximumLagShareOfP99 is { } p99 && late > limits.LagFloorMs
            && late > p99 * Response.PercentileMs(tail))
        {
            yield return Late(tail, late, explained, p99);
        }

        // A late start because the system holds the pool's threads is the system's delay: response times count from the
        // schedule.
        if (explained > limits.LagFloorMs && late <= limits.LagFloorMs)
        {
            yield break;
        }

        if (limits.MinimumAchievedRatio is { } ratio && AchievedRatio < ratio)
        {
            yield return new HealthEvidence("achievedRatio", AchievedRatio, ratio, Text(
                $"scenario '{Scenario}': only {100 * AchievedRatio:0.0} % of the arrivals started within the planned time, at least "
                + $"{100 * ratio:0.0} % are needed; lower the rate or unblock the thread pool"));
        }

        if (limits.MaximumDroppedShare is { } share && DroppedShare > share)
        {
            yield return new HealthEvidence("dropped", DroppedShare, share, Text(
                $"scenario '{Scenario}': {100 * DroppedShare:0.0} % of the arrivals could not start, at most {100 * share:0.0} % may; the "
                + $"load was not the one asked for: lower the rate or raise WithMaxInFlight"));
        }
    }

    private double Share(int percentile) =>
        Response.PercentileMs(percentile) is > 0 and var response
            ? Lag.PercentileMs(percentile) / response
            : double.NaN;

    private HealthEvidence Late(int percentile, double late, double explained, double limit)
    {
        var share = late / Response.PercentileMs(percentile);
        return new HealthEvidence($"scheduleLagP{percentile}Share", share, limit, Text(
            $"scenario '{Scenario}': iterations started {late + explained:0.0} ms late (p{percentile}), {explained:0.0} ms of it because "
            + $"the system held the threads; the rest is {100 * share:0} % of the response time's "
            + $"{Response.PercentileMs(percentile):0.0} ms, at most {100 * limit:0} % may be lateness of the generator; do bodies block "
            + $"thread-pool threads?"));
    }
}
