namespace LoadTesting.Core.Results;

/// <summary>Contradictions within a result.</summary>
internal static class ResultContradictions
{
    /// <summary>Sums of a few counts beyond this overflow, and JSON's readers take them for others.</summary>
    private const long GreatestCount = 1L << 53;

    /// <summary>A sentence each; empty for what a run writes.</summary>
    public static IEnumerable<string> Of(ScenarioResult scenario)
    {
        string[] counts =
        [
            .. Uncountable("operations", scenario.Operations), .. Uncountable("latency.n", scenario.Latency.N),
            .. (scenario.Ledger?.Counts() ?? []).SelectMany(count => Uncountable($"ledger.{count.Key}", count.Value)),
        ];
        if (counts.Length > 0)
        {
            return counts.Select(contradiction => $"{scenario.Name}: {contradiction}");
        }

        var ledger = scenario.Verdict.Outcome == VerdictOutcome.Passed ? scenario.Ledger?.Violations() ?? [] : [];
        string[] found =
        [
            .. scenario is { Partial: { } partial, Verdict.Outcome: VerdictOutcome.Passed }
                ? [$"verdict.outcome is 'passed' and partial is '{partial}'."]
                : Array.Empty<string>(),
            .. scenario is { Part: { } part, Verdict.Outcome: VerdictOutcome.Passed }
                ? [$"verdict.outcome is 'passed', and it is {part} of a load."]
                : Array.Empty<string>(),
            .. ledger.Select(violation => $"verdict.outcome is 'passed' and the ledger is not: {violation}."),
            .. Impossible("operations", scenario.Operations), .. Impossible("durationMs", scenario.DurationMs),
            .. Impossible("throughputPerSecond", scenario.ThroughputPerSecond),
            .. (scenario.Backend?.PerOperation ?? new Dictionary<string, double?>())
                .SelectMany(counter => Impossible($"backend.perOperation.{counter.Key}", counter.Value)),
            .. Of("latency", scenario.Latency),
            .. scenario.Phases.SelectMany(phase => Of($"phases.{phase.Key}", phase.Value)),
        ];
        return found.Select(contradiction => $"{scenario.Name}: {contradiction}");
    }

    /// <inheritdoc cref="Of(ScenarioResult)"/>
    public static IEnumerable<string> Of(CapacityResult capacity)
    {
        (string Name, double? Value)[] figures =
        [
            ("limitPerSecond", capacity.LimitPerSecond), ("bracket.low", capacity.Bracket?.Low),
            ("bracket.high", capacity.Bracket?.High),
        ];
        string[] found =
        [
            .. figures.Where(figure => figure.Value is not (null or (> 0 and < double.PositiveInfinity)))
                .Select(figure => $"{figure.Name} is {figure.Value}, which no search finds."),
            .. capacity.Bracket is { } bracket && bracket.Low > bracket.High
                ? [$"bracket is from {bracket.Low} to {bracket.High}."]
                : Array.Empty<string>(),
        ];
        return found.Select(contradiction => $"{capacity.Name}: {contradiction}");
    }

    private static IEnumerable<string> Of(string name, LatencyResult? latency)
    {
        if (latency is null)
        {
            return [$"{name} is null."];
        }

        double?[] ascending = [latency.P50Ms, latency.P95Ms, latency.P99Ms, latency.MaxMs];
        var known = ascending.OfType<double>().ToList();
        var kept = latency.Histogram is { } text ? LatencyHistogram.Parse(text).Count : latency.N;
        return
        [
            .. Impossible($"{name}.n", latency.N),
            .. known.Append(latency.AverageMs ?? 0).SelectMany(value => Impossible(name, value)),
            .. known.SequenceEqual(known.Order())
                ? [] : new[] { $"{name} has percentiles that fall: {string.Join(", ", known)} ms." },
            .. kept == latency.N ? [] : new[] { $"{name}.n is {latency.N}, and its histogram holds {kept}." },
        ];
    }

    private static IEnumerable<string> Uncountable(string name, long count) =>
        count <= GreatestCount ? [] : [$"{name} is {count}, which nothing counts."];

    private static IEnumerable<string> Impossible(string name, double? value) =>
        value is null or (>= 0 and < double.PositiveInfinity) ? [] : [$"{name} is {value}, which nothing measures."];
}
