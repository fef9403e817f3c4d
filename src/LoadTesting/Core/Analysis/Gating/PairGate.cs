namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Gates a candidate by interleaved pairs of runs: the only way in which a time may fail anything.</summary>
public static class PairGate
{
    /// <summary>Pairs that are recorded by default.</summary>
    public const int DefaultPairs = 10;

    /// <summary>
    /// Share of processor time that the hypervisor may give to others, where the result has no finer measure.
    /// </summary>
    private const double MaxStealShare = 0.02;

    /// <param name="pairs">The pairs in the order in which they were run.</param>
    /// <param name="baseline">What to call the base.</param>
    /// <param name="candidate">What to call the candidate.</param>
    /// <param name="design">How the pairs were recorded; with a fixed number of them when null.</param>
    public static GateResult Judge(
        IReadOnlyList<RecordedPair> pairs, string baseline, string candidate, GateDesign? design = null)
    {
        design ??= GateDesign.Fixed;
        var keys = pairs.SelectMany(pair => new[] { pair.Base, pair.Candidate }).OfType<ComparisonSource>()
            .SelectMany(source => Measured.Of(source.Run)).Select(measured => measured.Key).Distinct().ToList();
        var rows = keys.Select(key => Row(key, pairs, design)).ToList();
        var failures = pairs.SelectMany(pair => pair.Failures().Select(failure => $"Pair {pair.Number}, {failure}"));
        var hasCommon = keys.Any(key => pairs.Any(pair => Find(pair.Base, key) is not null)
            && pairs.Any(pair => Find(pair.Candidate, key) is not null));
        GateCause? apart =
            hasCommon ? null : pairs.Any(pair => pair.Base is null) ? GateCause.MissingBase : GateCause.Unlike;
        var machine = pairs.Select(pair => (pair.Base ?? pair.Candidate)?.Run.Environment.MachineClass).OfType<string>()
            .FirstOrDefault();
        return GateResult.Of(baseline, candidate, machine, rows, [.. failures], apart) with { Looks = design.Looks };
    }

    /// <summary>
    /// Whether a sequential recording may end with these pairs: at a look that says something, and after the last.
    /// </summary>
    /// <param name="pairs">The pairs so far.</param>
    /// <param name="baseline">What to call the base.</param>
    /// <param name="candidate">What to call the candidate.</param>
    /// <param name="design">A sequential one.</param>
    public static bool MayEnd(
        IReadOnlyList<RecordedPair> pairs, string baseline, string candidate, GateDesign design) =>
        pairs.Count >= design.Looks[^1]
            || (design.Looks.Contains(pairs.Count)
                && Judge(pairs, baseline, candidate, design).Verdict != GateVerdict.Inconclusive);

    private static GateRow Row(
        (string Name, HostingKind Hosting) key, IReadOnlyList<RecordedPair> pairs, GateDesign design)
    {
        var sides = pairs.Select(pair => (Pair: pair, Base: Find(pair.Base, key), Candidate: Find(pair.Candidate, key)))
            .ToList();
        if (sides.All(side => side.Base is null) && sides.Any(side => side.Pair.Base is not null))
        {
            var findings = FaultJudge.JudgeCandidateOnly(
                [.. sides.Select(side => side.Candidate).OfType<Measured>().Select(GateSide.Of)]);
            return GateRow.Of(key.Name, findings) with { Reasons = [GateText.OnlyInCandidate] };
        }

        var judged = sides.Select(side => new GatePair
        {
            Number = side.Pair.Number,
            Base = Side(side.Pair.Base, side.Base, side.Pair.BaseFailure),
            Candidate = Side(side.Pair.Candidate, side.Candidate, side.Pair.CandidateFailure),
            Vetoes =
            [
                .. Vetoes("base", side.Pair.Base, side.Base?.Scenario),
                .. Vetoes("candidate", side.Pair.Candidate, side.Candidate?.Scenario),
            ],
        }).ToList();
        var unlike = sides.Where(side => side.Base is not null && side.Candidate is not null)
            .SelectMany(
                side => Comparability.Unlike(
                    side.Pair.Base!, side.Base!.Scenario, side.Pair.Candidate!, side.Candidate!.Scenario))
            .Concat(sides.Select(side => side.Base?.Scenario.Injected).OfType<string>()
                .Select(GateText.WorseOnPurpose))
            .Distinct().ToList();
        var report = sides.LastOrDefault(side => side.Candidate is not null).Pair?.Candidate is { } last
            ? GateRow.ReportOf(last)
            : null;
        var hindrance = unlike.Count == 0 ? null : GateText.NotComparable(unlike);
        return PairJudge.Judge(key.Name, judged, hindrance, design) with { Report = report };
    }

    /// <summary>
    /// A command that fails although all of its results passed is a fault; otherwise the results name the fault.
    /// </summary>
    private static GateSide? Side(ComparisonSource? source, Measured? measured, string? failure)
    {
        if (source is null || measured is null)
        {
            return null;
        }

        var side = GateSide.Of(measured);
        var isUnexplained = failure is not null
            && Measured.Of(source.Run).All(other => other.Scenario.Verdict.Outcome == VerdictOutcome.Passed);
        return side with
        {
            Faults = new Dictionary<string, long>(side.Faults) { [GateSide.FailedCommands] = isUnexplained ? 1 : 0 },
        };
    }

    private static Measured? Find(ComparisonSource? source, (string Name, HostingKind Hosting) key) =>
        source is null or { Run.Partial: not null }
            ? null
            : Measured.NewestOrFailed(
                Measured.Of(source.Run).Where(measured => measured.Key == key && measured.Scenario.Partial is null));

    /// <summary>Why a side says nothing about times, a sentence each: both sides of its pair are dropped.</summary>
    private static IEnumerable<string> Vetoes(string side, ComparisonSource? source, ScenarioResult? scenario)
    {
        if (source is null || scenario is null)
        {
            yield return GateText.NoResult(side, source?.Run.Partial);
            yield break;
        }

        if (scenario.Verdict.Outcome != VerdictOutcome.Passed)
        {
            yield return $"{side}: {Figures.Word(scenario.Verdict.Outcome)}: {string.Join("; ", scenario.Verdict.Reasons)}";
        }
        else if (scenario.Generator?.Health == GeneratorState.Bound)
        {
            yield return GateText.GeneratorBound(side, scenario.Generator.Evidence);
        }
        else if (scenario.Validity is { Valid: false } invalid)
        {
            var failed =
                invalid.Checks.Where(check => check.Outcome == CheckOutcome.Failed).Select(check => check.Reason);
            yield return $"{side}: invalid: {string.Join("; ", failed)}";
        }

        foreach (var veto in scenario.Validity?.Vetoes ?? [])
        {
            yield return $"{side}: {veto}";
        }

        if (scenario.Validity is null && source.Run.Environment.StealShare > MaxStealShare)
        {
            yield return GateText.Stolen(side, source.Run.Environment.StealShare, MaxStealShare);
        }
    }
}
