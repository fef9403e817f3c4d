using System.Text.Json;
using LoadTesting.Core.Load;

namespace LoadTesting.Core.Results.Merging;

/// <summary>Merges the results of one scenario that are known to be alike.</summary>
internal static class ScenarioMerge
{
    private static readonly string[] SaidOfTheWhole = [nameof(ScenarioResult.Runs), nameof(ScenarioResult.Notes)];

    public static ScenarioResult Of(IReadOnlyList<MergeInput> inputs)
    {
        if (inputs.Count == 1)
        {
            return inputs[0].Scenario;
        }

        var scenarios = inputs.Select(input => input.Scenario).ToList();
        var first = scenarios[0];
        var duration = scenarios.Sum(scenario => scenario.DurationMs);
        var completed = inputs.Sum(input => input.Completed);
        // Named one by one: a member that nobody has thought of here is left null and noted, instead of being that of the first run.
        var merged = new ScenarioResult
        {
            Name = first.Name,
            Tier = first.Tier,
            Profile = first.Profile,
            Hosting = first.Hosting,
            Transport = first.Transport,
            LoadEngine = first.LoadEngine,
            LoadModel = first.LoadModel,
            DefinitionHash = first.DefinitionHash,
            StartedUtc = first.StartedUtc,
            Operations = scenarios.Sum(scenario => scenario.Operations),
            Concurrency = first.Concurrency,
            SignalWorkers = first.SignalWorkers,
            Lanes = first.Lanes,
            DurationMs = duration,
            ThroughputPerSecond = duration > 0 ? completed / duration * 1000 : 0,
            Latency = Latency(scenarios.ConvertAll(scenario => scenario.Latency)),
            FailedLatency = scenarios.Any(scenario => scenario.FailedLatency is not null)
                ? Latency([.. scenarios.Select(scenario => scenario.FailedLatency).OfType<LatencyResult>()]) : null,
            Clocks = Latencies(scenarios.ConvertAll(scenario => scenario.Clocks)),
            Phases = Latencies(scenarios.ConvertAll(scenario => scenario.Phases)),
            ServerSplit = scenarios.Any(scenario => scenario.ServerSplit is null)
                ? null
                : Latencies(scenarios.ConvertAll(scenario => scenario.ServerSplit!)),
            Ledger = Ledger(scenarios.ConvertAll(scenario => scenario.Ledger!)),
            Backend = CountersMerge.Of(inputs),
            Resources = ResourcesMerge.Of(inputs),
            Generator = Generator(inputs),
            Validity = ValidityMerge.Of(inputs),
            Verdict = new VerdictResult(VerdictOutcome.Passed, Distinct(scenarios, scenario => scenario.Verdict.Reasons)),
            Runs = [.. inputs.SelectMany(input => input.Parts)],
            Notes = Distinct(scenarios, scenario => scenario.Notes),
        };
        return merged with { Notes = [.. merged.Notes, .. NotMerged(merged, scenarios)] };
    }

    private static List<string> Distinct(IEnumerable<ScenarioResult> scenarios, Func<ScenarioResult, IEnumerable<string>> texts) =>
        [.. scenarios.SelectMany(texts).Distinct()];

    private static LatencyResult Latency(IReadOnlyList<LatencyResult> parts) =>
        LatencyResult.From(LatencyHistogram.MergeAll(parts.Where(part => part.N > 0).Select(part => LatencyHistogram.Parse(part.Histogram!))));

    // A name that only some of the runs have would be a distribution of those alone.
    private static Dictionary<string, LatencyResult> Latencies(IReadOnlyList<IReadOnlyDictionary<string, LatencyResult>> parts) =>
        parts[0].Keys
            .Where(name => parts.All(part => part.TryGetValue(name, out var latency) && latency is { N: 0 } or { Histogram: not null }))
            .ToDictionary(name => name, name => Latency([.. parts.Select(part => part[name])]));

    private static LedgerResult Ledger(List<LedgerResult> parts)
    {
        return new LedgerResult
        {
            Requested = Sum(part => part.Requested), Dropped = Sum(part => part.Dropped), Refused = Sum(part => part.Refused),
            Unknown = Sum(part => part.Unknown), Started = Sum(part => part.Started), Completed = Sum(part => part.Completed),
            Failed = Sum(part => part.Failed), Cancelled = Sum(part => part.Cancelled), DeadLettered = Sum(part => part.DeadLettered),
            Waiting = Sum(part => part.Waiting), Suspended = Sum(part => part.Suspended), Stuck = Sum(part => part.Stuck),
            RuntimeConflicts = Sum(part => part.RuntimeConflicts), Lost = Sum(part => part.Lost), Duplicate = Sum(part => part.Duplicate),
            Late = Sum(part => part.Late), Unmatched = Sum(part => part.Unmatched),
        };

        long Sum(Func<LedgerResult, long> count) => checked(parts.Sum(count));
    }

    /// <summary>The worst of the runs; null where one of them was not measured.</summary>
    private static GeneratorResult? Generator(IReadOnlyList<MergeInput> inputs)
    {
        var parts = inputs.Select(input => input.Scenario.Generator).OfType<GeneratorResult>().ToList();
        if (parts.Count < inputs.Count)
        {
            return null;
        }

        return new GeneratorResult
        {
            Health = parts.Max(part => part.Health),
            AchievedRatio = parts.Any(part => part.AchievedRatio is null) ? null : parts.Min(part => part.AchievedRatio),
            ScheduleLagP99Ms = Greatest(part => part.ScheduleLagP99Ms),
            ScheduleLagShare = Greatest(part => part.ScheduleLagShare),
            Dropped = parts.Sum(part => part.Dropped),
            CpuShare = Greatest(part => part.CpuShare),
            GcPauseShare = Greatest(part => part.GcPauseShare),
            ThreadPoolQueueMax = (long?)Greatest(part => part.ThreadPoolQueueMax),
            JitterMaxMs = Greatest(part => part.JitterMaxMs),
            Evidence = [.. parts.SelectMany(part => part.Evidence).Distinct()],
        };

        double? Greatest(Func<GeneratorResult, double?> member) => parts.Any(part => member(part) is null) ? null : parts.Max(member);
    }

    /// <summary>Says of every member that a run has and the whole lacks that it is with the runs.</summary>
    private static IEnumerable<string> NotMerged(ScenarioResult merged, IReadOnlyList<ScenarioResult> scenarios) =>
        from member in typeof(ScenarioResult).GetProperties()
        where !SaidOfTheWhole.Contains(member.Name) && member.GetValue(merged) is null
            && scenarios.Any(scenario => member.GetValue(scenario) is not null)
        select $"{JsonNamingPolicy.CamelCase.ConvertName(member.Name)} is null: it is not merged, or not every run has it; see the runs' own files.";
}
