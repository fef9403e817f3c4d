namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Gates a run by stored ones: faults and costs decide, counted ones on any machine. A time can at most be suspect,
/// since runs of one build made at unlike moments differ by more than a regression does.
/// </summary>
public static class StoredGate
{
    /// <param name="baselines">Stored runs, at least one.</param>
    /// <param name="candidate">The run that is judged.</param>
    public static GateResult Judge(IReadOnlyList<ComparisonSource> baselines, ComparisonSource candidate)
    {
        var stored =
            baselines.SelectMany(source => Measured.Of(source.Run).Select(measured => new StoredSide(source, measured)))
            .ToLookup(side => side.Measured.Key);
        var measured = Measured.EachOf(candidate.Run).ToLookup(one => stored.Contains(one.Key));
        List<GateRow> rows =
        [
            .. measured[true].Select(one => Row([.. stored[one.Key]], candidate, one)),
            .. measured[false].Select(CandidateOnly),
        ];
        var hasCommon = measured[true].Any();
        rows.AddRange(hasCommon ? LeftOut(baselines, candidate) : []);
        var label = string.Join(", ", baselines.Select(source => source.Label));
        return GateResult.Of(
            label, candidate.Label, candidate.Run.Environment.MachineClass, rows, [.. Missing(stored, candidate)],
            hasCommon ? null : GateCause.Unlike);
    }

    /// <summary>
    /// What the newest baseline of a tier and profile has and the candidate, which measured others of them, has not.
    /// </summary>
    private static IEnumerable<GateRow> LeftOut(
        IReadOnlyList<ComparisonSource> baselines, ComparisonSource candidate) =>
        candidate.Run.Scenarios.GroupBy(
            scenario => (scenario.Tier, scenario.Profile, scenario.Hosting)).SelectMany(group =>
            (baselines.Select(source => source.Run).OrderByDescending(run => run.CreatedUtc)
                .Select(run => run.Scenarios
                    .Where(scenario => (scenario.Tier, scenario.Profile, scenario.Hosting) == group.Key).ToList())
                .FirstOrDefault(scenarios => scenarios.Count > 0) ?? [])
            .Select(scenario => scenario.Name).Except(group.Select(scenario => scenario.Name))
            .Select(name => GateRow.Of(
                name, [], GateText.LeftOutByCandidate,
                GateCause.Unlike)));

    private static GateRow CandidateOnly(Measured measured) =>
        GateRow.Of(measured.Scenario.Name, FaultJudge.JudgeCandidateOnly([GateSide.Of(measured)])) with
        {
            Reasons = [GateText.OnlyInCandidate],
        };

    private static IEnumerable<string> Missing(
        ILookup<(string Name, HostingKind Hosting), StoredSide> stored, ComparisonSource candidate)
    {
        var there = Measured.Of(candidate.Run).Select(measured => measured.Key).ToHashSet();
        var missing =
            stored.Select(group => group.Key).Where(key => !there.Contains(key)).Select(key => key.Name).ToList();
        if (missing.Count > 0)
        {
            yield return GateText.OnlyInBaseline(missing);
        }
    }

    private static GateRow Row(IReadOnlyList<StoredSide> stored, ComparisonSource candidate, Measured measured)
    {
        var scenario = measured.Scenario;
        var alike = stored.Where(side =>
            !Comparability.UnlikeButForMachine(side.Source, side.Scenario, candidate, scenario).Any()).ToList();
        var sound = alike.Where(side => side.Scenario is { Verdict.Outcome: not VerdictOutcome.Failed, Injected: null }
            && side.Source.Run.Partial is null).ToList();
        if (sound.Count == 0)
        {
            var why = alike.Count > 0
                ? GateText.BaselineFailed
                : string.Join("; ", stored.SelectMany(side =>
                    Comparability.UnlikeButForMachine(side.Source, side.Scenario, candidate, scenario)).Distinct());
            return GateRow.Of(scenario.Name, [], GateText.Refused(why),
                alike.Count > 0 ? GateCause.MissingBase : GateCause.Unlike);
        }

        return Judge(sound, candidate, measured) with { Report = GateRow.ReportOf(candidate) };
    }

    private static GateRow Judge(IReadOnlyList<StoredSide> stored, ComparisonSource candidate, Measured measured)
    {
        var (scenario, side) = (measured.Scenario, GateSide.Of(measured));
        var local =
            stored.Where(s => Comparability.IsSameMachine(s.Source.Run, candidate.Run, scenario.Profile)).ToList();
        List<GateSide> sides = [.. (local.Count > 0 ? local : stored).Select(s => GateSide.Of(s.Measured))];
        var counters = side.Counters.Keys.Union(sides.SelectMany(l => l.Counters.Keys))
            .Select(name => CounterJudge.Judge(name, sides, side, scenario.Concurrency, local.Count > 0));
        var costs = TimeRule.Costs.Where(rule => sides.Append(side).Any(either => rule.Value(either) > 0))
            .Select(rule => CostJudge.Judge(rule, sides, side, local.Count > 0));
        var times = measured.Capacity is null
            ? TimeRule.All.Select(rule => RegressionDetector.Judge(rule, scenario.Name, local, side))
            : [CapacityJudge.Judge([.. local.Select(s => GateSide.Of(s.Measured))], side)];
        var hindrance = scenario.Verdict.Outcome == VerdictOutcome.Inconclusive
            ? GateText.Inconclusive(scenario.Verdict.Reasons)
            : candidate.Run.Partial is { } partial ? GateText.Partial(partial) : null;
        var notRecorded = NotRecordedByCandidate(sides, side).ToList();
        return GateRow.Of(
            scenario.Name, [.. FaultJudge.Judge([Soundest(sides)], [side]), .. counters, .. costs, .. times],
            notRecorded.Count > 0
                ? GateText.NotRecorded("baseline", notRecorded)
                : hindrance,
            notRecorded.Count > 0 ? GateCause.Unlike : GateCause.Noise);
    }

    private static IEnumerable<string> NotRecordedByCandidate(IReadOnlyList<GateSide> stored, GateSide candidate)
    {
        (string What, Func<GateSide, bool> IsThere)[] parts =
        [
            ("ledger", side => side.Faults.ContainsKey("lost")), ("latency", side => side.N > 0),
        ];
        var counters = stored[0].Counters.Keys.Where(name => CounterRule.For(name) is not null
            && stored.All(side => CounterJudge.Counts(side, name))
            && !stored.Any(side => CounterJudge.CountAlike(side, candidate, name)));
        return parts.Where(part => stored.All(part.IsThere) && !part.IsThere(candidate)).Select(part => part.What)
            .Concat(counters);
    }

    /// <summary>Of several stored runs the soundest is the measure for faults.</summary>
    private static GateSide Soundest(IReadOnlyList<GateSide> sides) =>
        sides.MinBy(side => side.Faults.Values.Sum() + side.Conflicts)!;
}

internal sealed record StoredSide(ComparisonSource Source, Measured Measured)
{
    public ScenarioResult Scenario => Measured.Scenario;
}
