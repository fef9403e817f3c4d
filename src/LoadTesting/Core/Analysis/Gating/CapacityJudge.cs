namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Judges what searches for the capacity found. A search knows the limit to a bracket only: for a regression even the
/// nearest ends of the brackets have to be apart by the margin, for a pass the middles have to be near.
/// </summary>
internal static class CapacityJudge
{
    public const string Metric = "capacity";

    /// <summary>
    /// Beside stored searches, a limit lower by more than this even at the nearest ends of the brackets is suspect.
    /// </summary>
    private const double SuspectShare = 0.10;

    private static readonly TimeRule Rule =
        new(Metric, "/s", 0.05, 0, side => side.CapacityPerSecond, IsBetterWhenHigher: true);

    /// <summary>Whether this is about a search, and not about a scenario.</summary>
    public static bool AppliesTo(IEnumerable<GateSide?> sides) =>
        sides.Any(side => side?.CapacityPerSecond is not null);

    /// <param name="pairs">Pairs in which both searches found a limit.</param>
    /// <param name="look">How sure it has to be.</param>
    public static GateFinding Judge(IReadOnlyList<(GateSide Base, GateSide Candidate)> pairs, GateLook look)
    {
        var found = pairs.Where(pair => pair is { Base.CapacityBracket: not null, Candidate.CapacityBracket: not null })
            .Select(pair => (Base: pair.Base.CapacityBracket!, Candidate: pair.Candidate.CapacityBracket!)).ToList();
        var finding = Finding([.. pairs.Select(pair => pair.Base)], [.. pairs.Select(pair => pair.Candidate)])
            with { Pairs = found.Count };
        if (found.Count < PairJudge.MinimumPairs)
        {
            return finding with
            {
                Verdict = GateVerdict.Inconclusive,
                Reason = GateText.TooFewPairs(found.Count, pairs.Count, "have two limits", "record more"),
            };
        }

        var middle = new PairedShift(
            [.. pairs.Select(pair => Rule.Worse(Rule.Value(pair.Base), Rule.Value(pair.Candidate))!.Value)]);
        var lower = new PairedShift([.. found.Select(pair => Rule.Worse(pair.Base.Low, pair.Candidate.High)!.Value)])
            .LowerBound(look.RegressionLevel);
        var upper = middle.UpperBound(look.ClearanceLevel);
        var verdict = lower > Math.Log(1 + Rule.Margin) ? GateVerdict.Regressed
            : upper < Math.Log(1 + TimeRule.MaxMargin) ? GateVerdict.NotRegressed
            : GateVerdict.Inconclusive;
        return finding with
        {
            Verdict = verdict,
            Limit = Rule.WorseBy(finding.Baseline!.Value, Rule.Margin),
            Change = PairJudge.Share(middle.Estimate),
            Lower99 = PairJudge.Share(lower),
            Upper95 = PairJudge.Share(upper),
            Reason = GateText.LimitLowerBy(
                PairJudge.Share(lower), 1 - look.RegressionLevel, PairJudge.Share(upper), 1 - look.ClearanceLevel,
                Rule.Margin),
        };
    }

    /// <summary>Beside stored searches of the same machine the limit can at most be suspect.</summary>
    public static GateFinding Judge(IReadOnlyList<GateSide> stored, GateSide candidate)
    {
        var known = stored.Where(side => side.CapacityBracket is not null).ToList();
        var finding = Finding(known, [candidate]);
        if (known.Count == 0 || candidate.CapacityBracket is not { } bracket)
        {
            return finding with { Reason = GateText.NoLimits };
        }

        var nearest = known.Min(side => side.CapacityBracket!.Low);
        var isLower = Rule.Worse(nearest, bracket.High) > Math.Log(1 + SuspectShare);
        return finding with
        {
            Limit = nearest / (1 + SuspectShare),
            Change = PairJudge.Share(Rule.Worse(finding.Baseline, finding.Measured)),
            Verdict = isLower ? GateVerdict.Suspect : GateVerdict.NotGated,
            Reason = GateText.BesideStoredLimits(bracket.High, known.Count, nearest)
                + (isLower ? GateText.DecideByPairs : ""),
        };
    }

    private static GateFinding Finding(IReadOnlyList<GateSide> bases, IReadOnlyList<GateSide> candidates) => new()
    {
        Metric = Metric, Kind = GateMetricKind.Time, Unit = Rule.Unit, Verdict = GateVerdict.NotGated, Reason = "",
        N = Math.Min(bases.Count, candidates.Count), Baseline = Median(bases), Measured = Median(candidates),
        BaselineBracket = Widest(bases), MeasuredBracket = Widest(candidates),
    };

    private static double? Median(IEnumerable<GateSide> sides) =>
        sides.Select(Rule.Value).OfType<double>().ToList() is { Count: > 0 } some ? some.Median() : null;

    private static IntervalResult? Widest(IEnumerable<GateSide> sides) =>
        sides.Select(side => side.CapacityBracket).OfType<IntervalResult>().ToList() is { Count: > 0 } some
            ? new(some.Min(bracket => bracket.Low), some.Max(bracket => bracket.High))
            : null;
}
