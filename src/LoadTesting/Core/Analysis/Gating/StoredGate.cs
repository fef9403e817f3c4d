using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Gates a run by stored ones: faults and counted costs decide, on any machine. A time can at most be suspect, since runs of one build
/// made at unlike moments differ by more than a regression does.
/// </summary>
public static class StoredGate
{
    /// <summary>Judges a run.</summary>
    /// <param name="baselines">Stored runs, at least one.</param>
    /// <param name="candidate">The run that is judged.</param>
    public static GateResult Judge(IReadOnlyList<ComparisonSource> baselines, ComparisonSource candidate)
    {
        ArgumentNullException.ThrowIfNull(baselines);
        ArgumentNullException.ThrowIfNull(candidate);
        var stored = baselines.SelectMany(source => source.Run.Scenarios.Select(scenario => new StoredLeg(source, scenario))).ToLookup(leg => Key(leg.Scenario));
        var rows = candidate.Run.Scenarios.GroupBy(Key).Where(group => stored.Contains(group.Key))
            .Select(group => Row([.. stored[group.Key]], candidate, group.Last())).ToList();
        var label = string.Join(", ", baselines.Select(source => source.Label));
        return GateResult.Of(label, candidate.Label, candidate.Run.Environment.MachineClass, rows, [.. Missing(stored, candidate)]);
    }

    private static (string Name, HostingKind Hosting) Key(ScenarioResult scenario) => (scenario.Name, scenario.Hosting);

    private static IEnumerable<string> Missing(ILookup<(string Name, HostingKind Hosting), StoredLeg> stored, ComparisonSource candidate)
    {
        var there = candidate.Run.Scenarios.Select(Key).ToHashSet();
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

    private static GateRow Row(IReadOnlyList<StoredLeg> stored, ComparisonSource candidate, ScenarioResult scenario)
    {
        var alike = stored.Where(leg => !Likeness.UnlikeButForMachine(leg.Source, leg.Scenario, candidate, scenario).Any()).ToList();
        var sound = alike.Where(leg => leg.Scenario.Verdict.Outcome == VerdictOutcome.Passed).ToList();
        if (sound.Count == 0)
        {
            var why = alike.Count > 0
                ? "the baseline's own run did not pass"
                : string.Join("; ", stored.SelectMany(leg => Likeness.UnlikeButForMachine(leg.Source, leg.Scenario, candidate, scenario)).Distinct());
            return GateRow.Of(scenario.Name, [], $"Refused: {why}. Record a baseline that is like the candidate.");
        }

        return Judge(sound, candidate, scenario) with { Report = Likeness.ReportOf(candidate) };
    }

    private static GateRow Judge(IReadOnlyList<StoredLeg> stored, ComparisonSource candidate, ScenarioResult scenario)
    {
        var leg = GateLeg.Of(scenario);
        var local = stored.Where(s => Likeness.IsSameMachine(s.Source.Run, candidate.Run)).ToList();
        List<GateLeg> legs = [.. (local.Count > 0 ? local : stored).Select(s => GateLeg.Of(s.Scenario))];
        var counters = leg.Counters.Keys.Union(legs.SelectMany(l => l.Counters.Keys))
            .Select(name => CounterJudge.Judge(name, legs, leg, scenario.Concurrency, local.Count > 0));
        var times = TimeRule.All.Select(rule => SuspicionJudge.Judge(rule, scenario.Name, local, leg));
        var hindrance = scenario.Verdict.Outcome == VerdictOutcome.Inconclusive
            ? $"The candidate's run is inconclusive itself: {string.Join("; ", scenario.Verdict.Reasons)}" : null;
        return GateRow.Of(scenario.Name, [.. FaultJudge.Judge([Least(legs)], [leg]), .. counters, .. times], hindrance);
    }

    /// <summary>Of several stored runs the soundest is the measure for faults.</summary>
    private static GateLeg Least(IReadOnlyList<GateLeg> legs) => legs.MinBy(leg => leg.Faults.Values.Sum() + leg.Conflicts)!;
}
