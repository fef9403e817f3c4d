using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Gates a run by stored ones: faults and counted costs decide, on any machine. A time can at most be suspect, since runs of one build
/// made at unlike moments differ by more than a regression does.
/// </summary>
public static class StoredGate
{
    /// <param name="baselines">Stored runs, at least one.</param>
    /// <param name="candidate">The run that is judged.</param>
    public static GateResult Judge(IReadOnlyList<ComparisonSource> baselines, ComparisonSource candidate)
    {
        ArgumentNullException.ThrowIfNull(baselines);
        ArgumentNullException.ThrowIfNull(candidate);
        var stored = baselines.SelectMany(source => Measured.Of(source.Run).Select(measured => new StoredSide(source, measured)))
            .ToLookup(side => side.Measured.Key);
        var rows = Measured.Of(candidate.Run).GroupBy(measured => measured.Key).Where(group => stored.Contains(group.Key))
            .Select(group => Row([.. stored[group.Key]], candidate, group.NewestOrFailed()!)).Concat(Wrong(stored, candidate)).ToList();
        rows.AddRange(rows.Count == 0 ? [] : LeftOut(baselines, candidate));
        var label = string.Join(", ", baselines.Select(source => source.Label));
        return GateResult.Of(label, candidate.Label, candidate.Run.Environment.MachineClass, rows, [.. Missing(stored, candidate)]);
    }

    /// <summary>What the newest baseline of a tier and profile has and the candidate, which measured others of them, has not.</summary>
    private static IEnumerable<GateRow> LeftOut(IReadOnlyList<ComparisonSource> baselines, ComparisonSource candidate) =>
        candidate.Run.Scenarios.GroupBy(scenario => (scenario.Tier, scenario.Profile, scenario.Hosting)).SelectMany(group =>
            (baselines.Select(source => source.Run).OrderByDescending(run => run.CreatedUtc)
                .Select(run => run.Scenarios.Where(scenario => (scenario.Tier, scenario.Profile, scenario.Hosting) == group.Key).ToList())
                .FirstOrDefault(scenarios => scenarios.Count > 0) ?? [])
            .Select(scenario => scenario.Name).Except(group.Select(scenario => scenario.Name))
            .Select(name => GateRow.Of(
                name, [], "The candidate has no result of it, and has others of its tier and profile.", GateCause.Unlike)));

    /// <summary>What only the candidate measured, and measured to be wrong.</summary>
    private static IEnumerable<GateRow> Wrong(ILookup<(string Name, HostingKind Hosting), StoredSide> stored, ComparisonSource candidate) =>
        Measured.Of(candidate.Run).Where(measured => !stored.Contains(measured.Key))
            .Select(measured => GateRow.Of(measured.Scenario.Name, FaultJudge.Alone([GateSide.Of(measured)])))
            .Where(row => row.Verdict == GateVerdict.Regressed);

    private static IEnumerable<string> Missing(ILookup<(string Name, HostingKind Hosting), StoredSide> stored, ComparisonSource candidate)
    {
        var there = Measured.Of(candidate.Run).Select(measured => measured.Key).ToHashSet();
        var missing = stored.Select(group => group.Key).Where(key => !there.Contains(key)).Select(key => key.Name).ToList();
        var fresh = there.Where(key => !stored.Contains(key)).Select(key => key.Name).ToList();
        if (missing.Count > 0)
        {
            yield return $"Only in the baseline, and not gated: {string.Join(", ", missing)}.";
        }

        if (fresh.Count > 0)
        {
            yield return $"Only in the candidate, and not gated: {string.Join(", ", fresh)}.";
        }
    }

    private static GateRow Row(IReadOnlyList<StoredSide> stored, ComparisonSource candidate, Measured measured)
    {
        var scenario = measured.Scenario;
        var alike = stored.Where(side =>
            !Comparability.UnlikeButForMachine(side.Source, side.Scenario, candidate, scenario).Any()).ToList();
        var sound = alike.Where(side => side.Scenario is { Verdict.Outcome: VerdictOutcome.Passed, Injected: null }
            && side.Source.Run.Partial is null).ToList();
        if (sound.Count == 0)
        {
            var why = alike.Count > 0
                ? "the baseline's own run did not pass, is partial, or was made worse on purpose"
                : string.Join("; ", stored.SelectMany(side =>
                    Comparability.UnlikeButForMachine(side.Source, side.Scenario, candidate, scenario)).Distinct());
            return GateRow.Of(scenario.Name, [], $"Refused: {why}. Record a baseline that is like the candidate.",
                alike.Count > 0 ? GateCause.MissingBase : GateCause.Unlike);
        }

        return Judge(sound, candidate, measured) with { Report = Comparability.ReportOf(candidate) };
    }

    private static GateRow Judge(IReadOnlyList<StoredSide> stored, ComparisonSource candidate, Measured measured)
    {
        var (scenario, side) = (measured.Scenario, GateSide.Of(measured));
        var local = stored.Where(s => Comparability.IsSameMachine(s.Source.Run, candidate.Run)).ToList();
        List<GateSide> sides = [.. (local.Count > 0 ? local : stored).Select(s => GateSide.Of(s.Measured))];
        var counters = side.Counters.Keys.Union(sides.SelectMany(l => l.Counters.Keys))
            .Select(name => CounterJudge.Judge(name, sides, side, scenario.Concurrency, local.Count > 0));
        var times = measured.Capacity is null
            ? TimeRule.All.Select(rule => RegressionDetector.Judge(rule, scenario.Name, local, side))
            : [CapacityJudge.Judge([.. local.Select(s => GateSide.Of(s.Measured))], side)];
        var hindrance = scenario.Verdict.Outcome == VerdictOutcome.Inconclusive
            ? $"The candidate's run is inconclusive itself: {string.Join("; ", scenario.Verdict.Reasons)}"
            : candidate.Run.Partial is { } partial ? $"The candidate's run is partial: {partial}" : null;
        var silent = Silent(sides, side).ToList();
        return GateRow.Of(
            scenario.Name, [.. FaultJudge.Judge([Least(sides)], [side]), .. counters, .. times],
            silent.Count > 0 ? $"The candidate does not record what the baseline does: {string.Join(", ", silent)}." : hindrance,
            silent.Count > 0 ? GateCause.Unlike : GateCause.Noise);
    }

    private static IEnumerable<string> Silent(IReadOnlyList<GateSide> stored, GateSide candidate)
    {
        (string What, Func<GateSide, bool> IsThere)[] parts =
        [
            ("ledger", side => side.Faults.ContainsKey("lost")), ("latency", side => side.N > 0),
        ];
        var counters = stored[0].Counters.Keys.Where(name => CounterRule.For(name) is not null
            && stored.All(side => CounterJudge.Counts(side, name))
            && !stored.Any(side => CounterJudge.CountAlike(side, candidate, name)));
        return parts.Where(part => stored.All(part.IsThere) && !part.IsThere(candidate)).Select(part => part.What).Concat(counters);
    }

    /// <summary>Of several stored runs the soundest is the measure for faults.</summary>
    private static GateSide Least(IReadOnlyList<GateSide> sides) => sides.MinBy(side => side.Faults.Values.Sum() + side.Conflicts)!;
}

internal sealed record StoredSide(ComparisonSource Source, Measured Measured)
{
    public ScenarioResult Scenario => Measured.Scenario;
}

/// <summary>
/// Whether a time beside stored runs of the same machine looks worse. With ten runs of three days: beyond the one-sided 99.9 % prediction
/// interval of Student's t on logarithms, and by more than a tenth; with fewer, by more than a tenth, which is wrong in a fifth of all
/// cases.
/// </summary>
internal static class RegressionDetector
{
    private const int RunsForInterval = 10;
    private const int DaysForInterval = 3;
    private const double Level = 0.999;
    private const double Share = 0.10;

    public static GateFinding Judge(TimeRule rule, string scenario, IReadOnlyList<StoredSide> stored, GateSide candidate)
    {
        var measured = rule.Value(candidate);
        var known = stored.Select(side => (side.Source, Value: rule.Value(GateSide.Of(side.Scenario))))
            .Where(side => side.Value > 0).ToList();
        var finding = new GateFinding
        {
            Metric = rule.Name, Kind = GateMetricKind.Time, Unit = rule.Unit, Verdict = GateVerdict.NotGated, Measured = measured,
            N = candidate.N,
            Baseline = known.Count > 0 ? known.Select(side => side.Value!.Value).Median() : null, Reason = "",
        };
        if (!TimeRule.AppliesTo(scenario))
        {
            return finding with { Reason = "Times gate only at full size (-xl)." };
        }

        if (known.Count == 0 || measured is not > 0)
        {
            return finding with { Reason = stored.Count == 0
                ? "No baseline of this machine and runtime: counters only."
                : "Not measured on both sides." };
        }

        if (candidate.N < rule.MinimumSamples)
        {
            return finding with { Reason = string.Create(
                CultureInfo.InvariantCulture, $"{candidate.N} samples; {rule.MinimumSamples} are needed.") };
        }

        // Per run how much worse the candidate is; its median is the change.
        var worse = known.Select(side => rule.Worse(side.Value, measured)!.Value).ToList();
        var days = known.Select(side => side.Source.Run.CreatedUtc.UtcDateTime.Date).Distinct().Count();
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
            $"{runs} stored of {days} {(days == 1 ? "day" : "days")}; an interval needs {RunsForInterval} of {DaysForInterval}, so a tenth "
            + $"worse is held for suspect.");
}
