using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Gates a candidate by interleaved pairs of runs: the only way in which a time may fail anything.</summary>
public static class PairGate
{
    /// <summary>Pairs that are recorded unless told otherwise.</summary>
    public const int DefaultPairs = 10;

    /// <summary>Judges recorded pairs.</summary>
    /// <param name="pairs">The pairs in the order in which they were run.</param>
    /// <param name="baseline">What to call the base.</param>
    /// <param name="candidate">What to call the candidate.</param>
    public static GateResult Judge(IReadOnlyList<RecordedPair> pairs, string baseline, string candidate)
    {
        ArgumentNullException.ThrowIfNull(pairs);
        var keys = pairs.SelectMany(pair => new[] { pair.Base, pair.Candidate }).OfType<ComparisonSource>()
            .SelectMany(source => source.Run.Scenarios).Select(Key).Distinct();
        var rows = keys.Select(key => Row(key, pairs)).ToList();
        var failures = pairs.SelectMany(pair => pair.Failures.Select(failure => $"Pair {pair.Number}, {failure}"));
        var machine = pairs.Select(pair => (pair.Base ?? pair.Candidate)?.Run.Environment.MachineClass).OfType<string>().FirstOrDefault();
        return GateResult.Of(baseline, candidate, machine, rows, [.. failures]);
    }

    private static (string Name, HostingKind Hosting) Key(ScenarioResult scenario) => (scenario.Name, scenario.Hosting);

    private static GateRow Row((string Name, HostingKind Hosting) key, IReadOnlyList<RecordedPair> pairs)
    {
        var legs = pairs.Select(pair => (Pair: pair, Base: Find(pair.Base, key), Candidate: Find(pair.Candidate, key))).ToList();
        var judged = legs.Select(leg => new GatePair
        {
            Number = leg.Pair.Number,
            Base = leg.Base is null ? null : GateLeg.Of(leg.Base),
            Candidate = leg.Candidate is null ? null : GateLeg.Of(leg.Candidate),
            Vetoes =
            [
                .. Vetoes("base", leg.Pair.Base, leg.Base),
                .. Vetoes("candidate", leg.Pair.Candidate, leg.Candidate),
            ],
        }).ToList();
        var unlike = legs.Where(leg => leg.Base is not null && leg.Candidate is not null)
            .SelectMany(leg => Likeness.Unlike(leg.Pair.Base!, leg.Base!, leg.Pair.Candidate!, leg.Candidate!)).Distinct().ToList();
        var report = legs.LastOrDefault(leg => leg.Candidate is not null).Pair?.Candidate is { } last ? Likeness.ReportOf(last) : null;
        var hindrance = unlike.Count == 0 ? null : $"The legs are not alike: {string.Join("; ", unlike)}.";
        return PairJudge.Judge(key.Name, judged, hindrance) with { Report = report };
    }

    private static ScenarioResult? Find(ComparisonSource? source, (string Name, HostingKind Hosting) key) =>
        source?.Run.Scenarios.LastOrDefault(scenario => Key(scenario) == key);

    private static IEnumerable<string> Vetoes(string leg, ComparisonSource? source, ScenarioResult? scenario) =>
        source is null || scenario is null ? [$"{leg}: no result"] : LegVetoes.Of(leg, source.Run, scenario);
}
