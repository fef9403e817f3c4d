using System.Globalization;
using MathNet.Numerics.Distributions;
using MathNet.Numerics.Statistics;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Whether a time beside stored runs of the same machine looks worse. With ten runs of three days: beyond the one-sided 99.9 % prediction
/// interval of Student's t on logarithms, and by more than a tenth; with fewer, by more than a tenth, which is wrong in a fifth of all cases.
/// </summary>
internal static class SuspicionJudge
{
    private const int RunsForInterval = 10;
    private const int DaysForInterval = 3;
    private const double Level = 0.999;
    private const double Share = 0.10;

    public static GateFinding Judge(TimeRule rule, string scenario, IReadOnlyList<StoredLeg> stored, GateLeg candidate)
    {
        var measured = rule.Value(candidate);
        var known = stored.Select(leg => (leg.Source, Value: rule.Value(GateLeg.Of(leg.Scenario)))).Where(leg => leg.Value > 0).ToList();
        var finding = new GateFinding
        {
            Metric = rule.Name, Kind = GateMetricKind.Time, Unit = rule.Unit, Verdict = GateVerdict.NotGated, Measured = measured, N = candidate.N,
            Baseline = known.Count > 0 ? known.Select(leg => leg.Value!.Value).Median() : null, Reason = "",
        };
        if (!TimeRule.AppliesTo(scenario))
        {
            return finding with { Reason = "Times gate only at full size (-xl)." };
        }

        if (known.Count == 0 || measured is not > 0)
        {
            return finding with { Reason = stored.Count == 0 ? "No baseline of this machine and runtime: counters only." : "Not measured on both sides." };
        }

        if (candidate.N < rule.MinimumSamples)
        {
            return finding with { Reason = string.Create(CultureInfo.InvariantCulture, $"{candidate.N} samples; {rule.MinimumSamples} are needed.") };
        }

        // Per run how much worse the candidate is; its median is the change.
        var worse = known.Select(leg => rule.Worse(leg.Value, measured)!.Value).ToList();
        var days = known.Select(leg => leg.Source.Run.CreatedUtc.UtcDateTime.Date).Distinct().Count();
        var hasInterval = known.Count >= RunsForInterval && days >= DaysForInterval;
        var needed = Math.Max(Math.Log(1 + Share), hasInterval ? Reach(worse) : 0);
        var centre = hasInterval ? worse.Mean() : worse.Median();
        return finding with
        {
            Limit = rule.WorseBy(finding.Baseline!.Value, Math.Exp(needed) - 1),
            Change = Math.Exp(centre) - 1,
            Verdict = centre > needed ? GateVerdict.Suspect : GateVerdict.NotGated,
            Reason = Words(hasInterval, known.Count, days) + (centre > needed ? " Settle it by pairs: wfperf gate --pairs." : ""),
        };
    }

    /// <summary>Half the one-sided prediction interval for one more run: t_{n-1} s √(1 + 1/n).</summary>
    private static double Reach(List<double> worse) =>
        StudentT.InvCDF(0, 1, worse.Count - 1, Level) * worse.StandardDeviation() * Math.Sqrt(1 + (1.0 / worse.Count));

    private static string Words(bool hasInterval, int runs, int days) => hasInterval
        ? string.Create(CultureInfo.InvariantCulture, $"By the 99.9 % prediction interval of {runs} stored runs of {days} days.")
        : string.Create(
            CultureInfo.InvariantCulture,
            $"{runs} stored of {days} {(days == 1 ? "day" : "days")}; an interval needs {RunsForInterval} of {DaysForInterval}, so a tenth worse is held for suspect.");
}
