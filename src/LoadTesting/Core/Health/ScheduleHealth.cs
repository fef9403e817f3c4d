using System.Globalization;
using LoadTesting.Core.Load;
using LoadTesting.Core.Measurement;
using LoadTesting.Core.Scenarios;

namespace LoadTesting.Core.Health;

/// <summary>How well the schedule of one open scenario was kept.</summary>
internal sealed record ScheduleHealth(
    string Scenario, double LagP50Ms, double LagP99Ms, double LagMaxMs, double ResponseP50Ms, double ResponseP99Ms, double AchievedRatio, double DroppedShare)
{
    internal double LagShareOfP50 => ResponseP50Ms > 0 ? LagP50Ms / ResponseP50Ms : double.NaN;

    internal double LagShareOfP99 => ResponseP99Ms > 0 ? LagP99Ms / ResponseP99Ms : double.NaN;

    /// <summary>Null for a closed scenario: it has no schedule.</summary>
    internal static ScheduleHealth? Of(ScenarioResult result)
    {
        if (result.Model != LoadModel.Open)
        {
            return null;
        }

        var response = LatencyHistogram.MergeAll([result.Ok.Response, result.Fail.Response]);
        var asked = result.Requested - result.DroppedAfterStop;
        var dropped = result.Dropped - result.DroppedAfterStop;
        return new ScheduleHealth(
            result.Name,
            result.ScheduleLag.PercentileMs(50),
            result.ScheduleLag.PercentileMs(99),
            result.ScheduleLag.MaxMs,
            response.PercentileMs(50),
            response.PercentileMs(99),
            asked - dropped > 0 ? (double)(result.Started - result.StartedLate) / (asked - dropped) : 0,
            asked > 0 ? (double)dropped / asked : 0);
    }

    internal IEnumerable<HealthEvidence> Evidence(GeneratorHealthLimits limits)
    {
        if (limits.MaximumLagShareOfP99 is { } p99 && LagP99Ms > limits.LagFloorMs && LagShareOfP99 > p99)
        {
            yield return Lag("scheduleLagP99Share", "p99", LagP99Ms, ResponseP99Ms, LagShareOfP99, p99);
        }

        if (limits.MaximumLagShareOfP50 is { } p50 && LagP50Ms > limits.LagFloorMs && LagShareOfP50 > p50)
        {
            yield return Lag("scheduleLagP50Share", "p50", LagP50Ms, ResponseP50Ms, LagShareOfP50, p50);
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

    private HealthEvidence Lag(string signal, string percentile, double lagMs, double responseMs, double share, double limit) => new(signal, share, limit, Text(
        $"scenario '{Scenario}': iterations started {lagMs:0.0} ms late ({percentile}), {100 * share:0} % of the response time's {responseMs:0.0} ms, at most {100 * limit:0} % may be lateness of the generator; do bodies block thread-pool threads?"));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
