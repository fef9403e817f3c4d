using System.Globalization;
using LoadTesting.Core.Analysis.Statistics;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Judges what went wrong: more than in the baseline is a regression, and where that had none, any.</summary>
internal static class FaultJudge
{
    private const double ConflictLevel = 0.005;
    private const double ConflictRatio = 1.5;

    /// <summary>Judges faults and conflicts over all legs of each side.</summary>
    public static List<GateFinding> Judge(IReadOnlyList<GateLeg> bases, IReadOnlyList<GateLeg> candidates)
    {
        if (bases.Count == 0 || candidates.Count == 0)
        {
            return [];
        }

        var names = candidates.SelectMany(leg => leg.Faults.Keys).Distinct();
        return [.. names.Select(name => Fault(name, bases, candidates)), Conflicts(bases, candidates)];
    }

    private static GateFinding Fault(string name, IReadOnlyList<GateLeg> bases, IReadOnlyList<GateLeg> candidates)
    {
        // Sides may differ in runs when some left no result: the rate of the baseline decides, to the unit.
        var (before, after) = (Count(bases, name), Count(candidates, name));
        var limit = before * candidates.Count / bases.Count;
        return Finding(name, before, after, candidates) with
        {
            Limit = limit,
            Verdict = after > limit ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = string.Create(
                CultureInfo.InvariantCulture, $"{after} in {candidates.Count} runs of the candidate, {before} in {bases.Count} of the baseline: none more is allowed."),
        };
    }

    private static GateFinding Conflicts(IReadOnlyList<GateLeg> bases, IReadOnlyList<GateLeg> candidates)
    {
        var (before, after) = (bases.Sum(leg => leg.Conflicts), candidates.Sum(leg => leg.Conflicts));
        var (of, in_) = (bases.Sum(leg => leg.Operations), candidates.Sum(leg => leg.Operations));
        var probability = ExactBinomial.SecondIsHigher(before, of, after, in_);
        var isHigher = probability < ConflictLevel && after * (double)of > ConflictRatio * before * in_;
        return Finding("runtimeConflicts", before, after, candidates) with
        {
            Limit = ConflictRatio * before * in_ / of,
            Verdict = isHigher ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = string.Create(
                CultureInfo.InvariantCulture,
                $"{after} in {in_} operations, {before} in {of} of the baseline: p = {probability:0.####}; below {ConflictLevel} and more than {ConflictRatio} times as many regresses."),
        };
    }

    private static GateFinding Finding(string name, long before, long after, IReadOnlyList<GateLeg> candidates) => new()
    {
        Metric = name, Kind = GateMetricKind.Correctness, Unit = "in all", Verdict = GateVerdict.NotGated, Reason = "",
        Baseline = before, Measured = after, N = candidates.Sum(leg => leg.Operations),
    };

    private static long Count(IReadOnlyList<GateLeg> legs, string name) => legs.Sum(leg => leg.Faults.GetValueOrDefault(name));
}
