using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>How well the schedule of one open scenario was kept.</summary>
internal sealed record ScheduleHealth(string Scenario, LatencyHistogram Lag, LatencyHistogram Response, double AchievedRatio, double DroppedShare)
{
    internal double LagP99Ms => Lag.PercentileMs(99);

    internal double LagMaxMs => Lag.MaxMs;

    internal double LagShareOfP50 => Share(50);

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

    internal IEnumerable<HealthEvidence> Evidence(GeneratorHealthLimits limits)
    {
        var tail = Array.Find([99, 95, 90], percentile => Lag.Count * (100 - percentile) >= 100L * limits.MinimumSamplesInTail);
        if (limits.MaximumLagShareOfP99 is { } p99 && tail > 0 && Lag.PercentileMs(tail) > limits.LagFloorMs && Share(tail) > p99)
        {
            yield return Late(tail, p99);
        }

        if (limits.MaximumLagShareOfP50 is { } p50 && Lag.PercentileMs(50) > limits.LagFloorMs && LagShareOfP50 > p50)
        {
            yield return Late(50, p50);
        }

        if (limits.MinimumAchievedRatio is { } ratio && AchievedRatio < ratio)
        {
            yield return new HealthEvidence("achievedRatio", AchievedRatio, ratio, Text(
                $"scenario '{Scenario}': only {100 * AchievedRatio:0.0} % of the arrivals started within the planned time, at least {100 * ratio:0.0} % are needed; lower the rate or unblock the thread pool"));
        }

        if (limits.MaximumDroppedShare is { } share && DroppedShare > share)
        {
            yield return new HealthEvidence("dropped", DroppedShare, share, Text(
                $"scenario '{Scenario}': {100 * DroppedShare:0.0} % of the arrivals could not start, at most {100 * share:0.0} % may; the load was not the one asked for: lower the rate or raise WithMaxInFlight"));
        }
    }

    private double Share(int percentile) =>
        Response.PercentileMs(percentile) is > 0 and var response ? Lag.PercentileMs(percentile) / response : double.NaN;

    private HealthEvidence Late(int percentile, double limit) => new($"scheduleLagP{percentile}Share", Share(percentile), limit, Text(
        $"scenario '{Scenario}': iterations started {Lag.PercentileMs(percentile):0.0} ms late (p{percentile}), {100 * Share(percentile):0} % of the response time's {Response.PercentileMs(percentile):0.0} ms, at most {100 * limit:0} % may be lateness of the generator; do bodies block thread-pool threads?"));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
