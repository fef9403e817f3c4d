namespace LoadTesting.Core.Analysis.Gating;

/// <summary>A regression that is put into recorded figures, to see whether the gate finds it.</summary>
/// <param name="Name">What is put in.</param>
/// <param name="Metrics">The metrics in which it shows.</param>
/// <param name="Apply">The figures of a candidate's leg with it.</param>
/// <param name="OnlyFirstPair">Whether a single leg of a decision has it; else all have.</param>
internal sealed record Injection(string Name, IReadOnlyList<string> Metrics, Func<GateLeg, GateLeg> Apply, bool OnlyFirstPair = false)
{
    /// <summary>Nothing: both sides are the same build.</summary>
    public static Injection None { get; } = new("none", [], leg => leg);

    /// <summary>The regressions that a gate has to find.</summary>
    public static IReadOnlyList<Injection> All { get; } =
    [
        Delay(0.10), Delay(0.20), Delay(0.30), Count("+1 commit", "commits", "writeTransactions"), Count("+1 query", "statements"),
        new("one lost event", ["lost"], Lost, OnlyFirstPair: true),
    ];

    private static Injection Delay(double share) => new(
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"+{share:0 %} delay"),
        [.. TimeRule.All.Select(rule => rule.Name)],
        leg => leg with
        {
            ThroughputPerSecond = leg.ThroughputPerSecond / (1 + share),
            P50Ms = leg.P50Ms * (1 + share),
            P95Ms = leg.P95Ms * (1 + share),
            P99Ms = leg.P99Ms * (1 + share),
        });

    private static Injection Count(string name, params string[] counters) => new(
        name, counters, leg => leg with { Counters = leg.Counters.ToDictionary(c => c.Key, c => counters.Contains(c.Key) ? c.Value + 1 : c.Value) });

    private static GateLeg Lost(GateLeg leg) =>
        leg with { Faults = new Dictionary<string, long>(leg.Faults) { ["lost"] = leg.Faults.GetValueOrDefault("lost") + 1 } };
}
