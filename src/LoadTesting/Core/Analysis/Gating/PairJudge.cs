namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Judges a scenario by interleaved pairs. The pair is the unit of replication, never the request.</summary>
internal static class PairJudge
{
    /// <summary>
    /// Fewer pairs decide nothing on times and counters: with six the bound at 1 % does not even exist.
    /// </summary>
    public const int MinimumPairs = 8;

    /// <summary>A time is noisy if its detectable change is larger than this share.</summary>
    private const double NoisyChange = 0.30;

    /// <summary>
    /// A counter is noisy if its detectable change is larger than this many times the allowed growth.
    /// </summary>
    private const double NoisyGrowth = 4;

    /// <param name="scenario">Full name; decides whether times gate.</param>
    /// <param name="pairs">All pairs, the vetoed ones too.</param>
    /// <param name="hindrance">Why the row cannot be better than inconclusive whatever the figures say; null when
    /// nothing stands in the way.</param>
    /// <param name="design">How the pairs were recorded; with a fixed number of them when null.</param>
    public static GateRow Judge(
        string scenario, IReadOnlyList<GatePair> pairs, string? hindrance = null, GateDesign? design = null)
    {
        var look = (design ?? GateDesign.Fixed).At(pairs.Count);
        var valid =
            pairs.Where(pair => pair.IsValid()).Select(pair => (Base: pair.Base!, Candidate: pair.Candidate!)).ToList();
        var counted = pairs.Where(pair => pair.IsCounted())
            .Select(pair => (Base: pair.Base!, Candidate: pair.Candidate!)).ToList();
        var findings = Faults(pairs);
        hindrance ??= OnlyCandidateDisturbed(pairs, look) ?? NotRecordedByCandidate(counted);
        var cause =
            hindrance is not null ? GateCause.Unlike : IsBaseMissing(pairs) ? GateCause.MissingBase : GateCause.Noise;
        if (counted.Count >= MinimumPairs)
        {
            findings.AddRange(Counters(counted, look));
            findings.AddRange(TimeRule.Costs.Select(rule => Time(rule, scenario, counted, look)));
        }
        else
        {
            hindrance ??=
                GateText.TooFewPairs(counted.Count, pairs.Count, "have two results without failures", "record more");
        }

        var isSearch = CapacityJudge.AppliesTo(pairs.SelectMany(pair => new[] { pair.Base, pair.Candidate }));
        if (valid.Count >= MinimumPairs)
        {
            findings.AddRange(isSearch
                ? [CapacityJudge.Judge(valid, look)]
                : TimeRule.All.Select(rule => Time(rule, scenario, valid, look)));
        }
        else if (isSearch || TimeRule.AppliesTo(scenario))
        {
            hindrance ??=
                GateText.TooFewPairs(
                    valid.Count, pairs.Count, "are valid for times", "record more, or remove what vetoed the others");
        }

        return GateRow.Of(scenario, findings, hindrance, cause) with { Pairs = pairs };
    }

    /// <summary>Whether the base itself is why there are too few pairs.</summary>
    private static bool IsBaseMissing(IReadOnlyList<GatePair> pairs)
    {
        var sound = pairs.Count(pair => pair.Base is { } side && !side.HasFailed());
        return sound < pairs.Count && sound < MinimumPairs;
    }

    /// <summary>
    /// Noise vetoes either side alike, since a coin decides which comes first. Where it is nearly always the
    /// candidate's, that is the candidate's doing, for the worse or the better, and the pairs that are left are chosen
    /// by it. By the exact sign test.
    /// </summary>
    private static string? OnlyCandidateDisturbed(IReadOnlyList<GatePair> pairs, GateLook look)
    {
        var complete = pairs.Where(pair => pair.Base is not null && pair.Candidate is not null).ToList();
        var reference = complete.Count(pair => pair.IsVetoed("base") && !pair.IsVetoed("candidate"));
        var candidate = complete.Count(pair => pair.IsVetoed("candidate") && !pair.IsVetoed("base"));
        var probability = ExactBinomial.SecondIsHigher(reference, 1, candidate, 1);
        return probability > look.NoisyLevel ? null : GateText.OneSided(
            pairs.Count, candidate, reference, probability);
    }

    /// <summary>A metric that only the base records cannot be judged, and must not pass for that reason.</summary>
    private static string? NotRecordedByCandidate(IReadOnlyList<(GateSide Base, GateSide Candidate)> pairs)
    {
        var names = CounterNames(pairs).Where(name => CounterRule.For(name) is not null)
            .Where(name => IsMissing(
                pair => CounterJudge.Counts(pair.Base, name),
                pair => CounterJudge.CountAlike(pair.Base, pair.Candidate, name)))
            .Concat(TimeRule.All.Concat(TimeRule.Costs).Where(rule => IsMissing(
                pair => rule.Value(pair.Base) > 0,
                pair => rule.Worse(rule.Value(pair.Base), rule.Value(pair.Candidate)) is not null))
                .Select(rule => rule.Name))
            .Concat(pairs.SelectMany(pair => pair.Base.Faults.Keys.Except(pair.Candidate.Faults.Keys)).Distinct())
            .ToList();
        return names.Count == 0
            ? null : GateText.NotRecorded("base", names);

        bool IsMissing(
            Func<(GateSide Base, GateSide Candidate), bool> isInBase,
            Func<(GateSide Base, GateSide Candidate), bool> isInBoth) =>
            pairs.Count(isInBase) >= MinimumPairs && pairs.Count(isInBoth) < MinimumPairs;
    }

    /// <summary>Vetoed pairs count too: a busy machine does not lose events.</summary>
    private static List<GateFinding> Faults(IReadOnlyList<GatePair> pairs)
    {
        var bases = pairs.Select(pair => pair.Base).OfType<GateSide>().ToList();
        var candidates = pairs.Select(pair => pair.Candidate).OfType<GateSide>().ToList();
        return [FaultJudge.Missing(pairs), .. FaultJudge.Judge(bases, candidates)];
    }

    private static IEnumerable<GateFinding> Counters(
        IReadOnlyList<(GateSide Base, GateSide Candidate)> pairs, GateLook look) =>
        CounterNames(pairs).Select(name => Counter(name, pairs, look));

    private static IEnumerable<string> CounterNames(IReadOnlyList<(GateSide Base, GateSide Candidate)> pairs) =>
        pairs.SelectMany(pair => pair.Base.Counters.Keys.Concat(pair.Candidate.Counters.Keys)).Distinct();

    private static GateFinding Counter(
        string name, IReadOnlyList<(GateSide Base, GateSide Candidate)> pairs, GateLook look)
    {
        var counted = pairs.Where(pair => CounterJudge.CountAlike(pair.Base, pair.Candidate, name))
            .Select(pair => (Base: pair.Base.Counters[name]!.Value, Candidate: pair.Candidate.Counters[name]!.Value))
            .ToList();
        var finding = new GateFinding
        {
            Metric = name, Kind = GateMetricKind.Counter, Unit = "per operation", Verdict = GateVerdict.NotGated,
            Pairs = counted.Count,
            N = pairs.Min(pair => Math.Min(pair.Base.Operations, pair.Candidate.Operations)), Reason = "",
            Baseline = Median(counted.Select(pair => pair.Base)),
            Measured = Median(counted.Select(pair => pair.Candidate)),
        };
        if (CounterRule.For(name) is not { } rule)
        {
            return finding with { Reason = GateText.NoRule };
        }

        return counted.Count < MinimumPairs
            ? finding with { Reason =
                GateText.TooFewPairs(counted.Count, pairs.Count, "count it on both sides by the same source",
                    "the notes of the results say why it is null") }
            : Judge(finding, rule, counted, look);
    }

    private static GateFinding Judge(
        GateFinding finding, CounterRule rule, IReadOnlyList<(double Base, double Candidate)> pairs, GateLook look)
    {
        var baseline = finding.Baseline!.Value;
        var growth = new PairedShift([.. pairs.Select(pair => pair.Candidate - pair.Base)]);
        var room = rule.LimitOver(baseline, finding.N) - baseline;
        var level = growth.Detectable > NoisyGrowth * room ? look.NoisyLevel : look.RegressionLevel;
        var beyond = new PairedShift([.. pairs.Select(pair => pair.Candidate - rule.LimitOver(pair.Base, finding.N))]);
        var verdict = beyond.LowerBound(level) > 0 ? GateVerdict.Regressed
            : beyond.UpperBound(look.ClearanceLevel) <= 0 ? GateVerdict.NotRegressed
            : GateVerdict.Inconclusive;
        double? Share(double? value) => baseline > 0 ? value / baseline : null;
        return finding with
        {
            Limit = baseline + room,
            Change = Share(growth.Estimate),
            Lower99 = Share(growth.LowerBound(level)),
            Upper95 = Share(growth.UpperBound(look.ClearanceLevel)),
            DetectableChange = Share(room + growth.Detectable),
            Verdict = verdict,
            Reason = GateText.Differences(growth.Estimate, rule, verdict, 1 - level, 1 - look.ClearanceLevel),
        };
    }

    private static GateFinding Time(
        TimeRule rule, string scenario, IReadOnlyList<(GateSide Base, GateSide Candidate)> pairs, GateLook look)
    {
        var samples = pairs.Min(pair => Math.Min(pair.Base.N, pair.Candidate.N));
        var worse = pairs.Select(pair => rule.Worse(rule.Value(pair.Base), rule.Value(pair.Candidate))).OfType<double>()
            .ToList();
        var finding = new GateFinding
        {
            Metric = rule.Name, Kind = rule.Kind, Unit = rule.Unit, Verdict = GateVerdict.NotGated, Pairs = worse.Count,
            N = samples, Reason = "",
            Baseline = Median(pairs.Select(pair => rule.Value(pair.Base)).OfType<double>()),
            Measured = Median(pairs.Select(pair => rule.Value(pair.Candidate)).OfType<double>()),
        };
        var isFullSize = TimeRule.AppliesTo(scenario);
        if (!isFullSize && rule.Kind == GateMetricKind.Time)
        {
            return finding with { Reason = GateText.OnlyAtFullSize };
        }

        if (worse.Count < MinimumPairs)
        {
            return finding with
            {
                Verdict = rule.Kind == GateMetricKind.Cost ? GateVerdict.NotGated : GateVerdict.Inconclusive,
                Reason = GateText.TooFewPairs(worse.Count, pairs.Count, "record it on both sides", "record more"),
            };
        }

        if (samples < rule.MinimumSamples)
        {
            return finding with { Reason = GateText.TooFewSamples(samples, rule) };
        }

        var judged = Judge(finding, isFullSize ? rule : rule.OfFewOperations(), new PairedShift(worse), look);
        return isFullSize || judged.Verdict != GateVerdict.Inconclusive
            ? judged
            : judged with { Verdict = GateVerdict.NotGated,
                Reason = GateText.UnclearCost };
    }

    private static GateFinding Judge(GateFinding finding, TimeRule rule, PairedShift shift, GateLook look)
    {
        var (margin, tolerance) = (look.MarginOf(rule), look.ToleranceOf(rule));
        var detectable = Math.Exp(Math.Log(1 + margin) + shift.Detectable!.Value) - 1;
        var isNoisy = detectable > NoisyChange;
        var level = isNoisy ? look.NoisyLevel : look.RegressionLevel;
        var (lower, upper) = (shift.LowerBound(level), shift.UpperBound(look.ClearanceLevel));
        var verdict = lower > Math.Log(1 + margin) ? GateVerdict.Regressed
            : upper < Math.Log(1 + tolerance) ? GateVerdict.NotRegressed
            : GateVerdict.Inconclusive;
        var (sure, clear) = (1 - level, 1 - look.ClearanceLevel);
        return finding with
        {
            Verdict = verdict,
            Limit = rule.WorseBy(finding.Baseline!.Value, margin),
            Change = Share(shift.Estimate),
            Lower99 = Share(lower),
            Upper95 = Share(upper),
            DetectableChange = detectable,
            Reason = verdict switch
            {
                GateVerdict.Regressed => GateText.WorseByAtLeast(Share(lower), sure, margin),
                GateVerdict.NotRegressed => GateText.WorseByAtMost(Share(upper), clear, tolerance),
                _ => GateText.Between(Share(lower), sure, Share(upper), clear, margin, tolerance)
                    + (isNoisy ? " " + GateText.TooNoisy : ""),
            },
        };
    }

    internal static double? Share(double? logarithm) => logarithm is { } value ? Math.Exp(value) - 1 : null;

    private static double? Median(IEnumerable<double> values) =>
        values.ToList() is { Count: > 0 } some ? some.Median() : null;
}
