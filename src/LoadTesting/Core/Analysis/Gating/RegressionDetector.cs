using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Whether a time beside stored runs of the same machine looks worse. With ten runs of three days: beyond the one-sided
/// 99.9 % prediction interval of Student's t on logarithms, and by more than a tenth; with fewer, by more than a tenth,
/// which is wrong in a fifth of all cases.
/// </summary>
internal static class RegressionDetector
{
    private const int RunsForInterval = 10;
    private const int DaysForInterval = 3;
    private const double Level = 0.999;
    private const double Share = 0.10;

    public static GateFinding Judge(
        TimeRule rule, string scenario, IReadOnlyList<StoredSide> stored, GateSide candidate)
    {
        var measured = rule.Value(candidate);
        var known = stored.Select(side => (side.Source, Value: rule.Value(GateSide.Of(side.Scenario))))
            .Where(side => side.Value > 0).ToList();
        var finding = new GateFinding
        {
            Metric = rule.Name, Kind = GateMetricKind.Time, Unit = rule.Unit, Verdict = GateVerdict.NotGated,
            Measured = measured,
            N = candidate.N,
            Baseline = known.Count > 0 ? known.Select(side => side.Value!.Value).Median() : null, Reason = "",
        };
        if (!TimeRule.AppliesTo(scenario))
        {
            return finding with { Reason = GateText.OnlyAtFullSize };
        }

        if (known.Count == 0 || measured is not > 0)
        {
            return finding with { Reason = stored.Count == 0
                ? GateText.NoBaseline
                : GateText.NotMeasured };
        }

        if (candidate.N < rule.MinimumSamples)
        {
            return finding with { Reason = GateText.TooFew(rule.MinimumSamples, "samples") };
        }

        // Per run how much worse the candidate is; its median is the change.
        var worse = known.Select(side => rule.Worse(side.Value, measured)!.Value).ToList();
        var days = known.Select(side => side.Source.Run.CreatedUtc.UtcDateTime.Date).Distinct().Count();
        var hasInterval = known.Count >= RunsForInterval && days >= DaysForInterval;
        var needed = Math.Max(Math.Log(1 + Share), hasInterval ? PredictionHalfWidth(worse) : 0);
        var centre = hasInterval ? worse.Mean() : worse.Median();
        return finding with
        {
            Limit = rule.WorseBy(finding.Baseline!.Value, Math.Exp(needed) - 1),
            Change = Math.Exp(centre) - 1,
            Verdict = centre > needed ? GateVerdict.Suspect : GateVerdict.NotGated,
            Reason = Describe(hasInterval, known.Count, days) + (centre > needed ? GateText.DecideByPairs : ""),
        };
    }

    /// <summary>Half the one-sided prediction interval for one more run: t_{n-1} s √(1 + 1/n).</summary>
    private static double PredictionHalfWidth(List<double> worse) =>
        StudentT.InvCDF(0, 1, worse.Count - 1, Level) * worse.StandardDeviation() * Math.Sqrt(1 + (1.0 / worse.Count));

    private static string Describe(bool hasInterval, int runs, int days) => hasInterval
        ? GateText.ByInterval(runs, days)
        : GateText.WithoutInterval(runs, days, RunsForInterval, DaysForInterval);
}
