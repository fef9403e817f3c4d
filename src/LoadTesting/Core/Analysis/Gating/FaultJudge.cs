namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Judges faults: more than in the baseline is a regression.</summary>
internal static class FaultJudge
{
    private const double ConflictLevel = 0.005;
    private const double ConflictRatio = 1.5;

    /// <summary>Judges scenarios that only the candidate measured: they must be correct too.</summary>
    public static List<GateFinding> JudgeCandidateOnly(IReadOnlyList<GateSide> candidates) =>
        Judge([new GateSide { Operations = 0, N = 0 }], candidates);

    /// <summary>Judges faults and conflicts over all runs of each side.</summary>
    public static List<GateFinding> Judge(IReadOnlyList<GateSide> bases, IReadOnlyList<GateSide> candidates)
    {
        if (bases.Count == 0 || candidates.Count == 0)
        {
            return [];
        }

        var names = candidates.SelectMany(side => side.Faults.Keys).Distinct();
        var faults = names.Select(name => Fault(name, bases, candidates));
        var hasOperations = bases.Any(side => side.Operations > 0) && candidates.Any(side => side.Operations > 0);
        return hasOperations ? [.. faults, Conflicts(bases, candidates)] : [.. faults];
    }

    /// <summary>Judges runs that left no result: beside bases that did, a candidate that does not is broken.</summary>
    public static GateFinding Missing(IReadOnlyList<GatePair> pairs)
    {
        var (before, after) = (pairs.Count(pair => pair.Base is null), pairs.Count(pair => pair.Candidate is null));
        return Finding("missingRuns", before, after, [.. pairs.Select(pair => pair.Candidate).OfType<GateSide>()]) with
        {
            Limit = before,
            Verdict = after > before ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = GateText.MissingResults(after, before, pairs.Count),
        };
    }

    private static GateFinding Fault(string name, IReadOnlyList<GateSide> bases, IReadOnlyList<GateSide> candidates)
    {
        // Sides may differ in runs when some left no result: the rate of the baseline decides, to the unit.
        var (before, after) = (Count(bases, name), Count(candidates, name));
        var limit = before * candidates.Count / bases.Count;
        return Finding(name, before, after, candidates) with
        {
            Limit = limit,
            Verdict = after > limit ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = GateText.Faults(after, candidates.Count, before, bases.Count),
        };
    }

    private static GateFinding Conflicts(IReadOnlyList<GateSide> bases, IReadOnlyList<GateSide> candidates)
    {
        var (before, after) = (bases.Sum(side => side.Conflicts), candidates.Sum(side => side.Conflicts));
        var (of, in_) = (bases.Sum(side => side.Operations), candidates.Sum(side => side.Operations));
        var probability = ExactBinomial.SecondIsHigher(before, of, after, in_);
        var isHigher = probability < ConflictLevel && after * (double)of > ConflictRatio * before * in_;
        return Finding("runtimeConflicts", before, after, candidates) with
        {
            Limit = ConflictRatio * before * in_ / of,
            Verdict = isHigher ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = GateText.Conflicts(after, in_, before, of, probability, ConflictLevel, ConflictRatio),
        };
    }

    private static GateFinding Finding(string name, long before, long after, IReadOnlyList<GateSide> candidates) =>
        new()
    {
        Metric = name, Kind = GateMetricKind.Correctness, Unit = "in all", Verdict = GateVerdict.NotGated, Reason = "",
        Baseline = before, Measured = after, N = candidates.Sum(side => side.Operations),
    };

    private static long Count(IReadOnlyList<GateSide> sides, string name) =>
        sides.Sum(side => side.Faults.GetValueOrDefault(name));
}
