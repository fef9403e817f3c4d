using LoadTesting.Core.Analysis.Gating;

namespace IntegrationTests.Shared.Gating;

/// <summary>A regression that is put into recorded figures, to see whether the gate finds it.</summary>
/// <param name="Name">What is put in.</param>
/// <param name="Metrics">The metrics in which it shows.</param>
/// <param name="Apply">The figures of a candidate's side with it.</param>
/// <param name="OnlyFirstPair">Whether a single side of a decision has it; else all have.</param>
internal sealed record Injection(
    string Name, IReadOnlyList<string> Metrics, Func<GateSide, GateSide> Apply, bool OnlyFirstPair = false)
{
    /// <summary>Nothing: both sides are the same build.</summary>
    public static Injection None { get; } = new("none", [], side => side);

    /// <summary>Nothing, into runs of eight neighbouring pairs: what they have in common stays.</summary>
    public static Injection NoneInRuns { get; } = new("none, in runs of 8", [], side => side) { RunLength = 8 };

    /// <summary>Neighbouring pairs that are drawn together.</summary>
    public int RunLength { get; private init; } = 1;

    public bool IsNone => this == None || this == NoneInRuns;

    /// <summary>The regressions that a gate has to find.</summary>
    public static IReadOnlyList<Injection> All { get; } =
    [
        Delay(0.10), Delay(0.20), Delay(0.30), Cost(0.05),
        Count("+1 commit", "commits", "writeTransactions"), Count("+1 query", "statements"),
        new("one lost event", ["lost"], Lost, OnlyFirstPair: true),
    ];

    private static Injection Delay(double share) => new(
        string.Create(CultureInfo.InvariantCulture, $"+{share:0 %} delay"),
        [.. TimeRule.All.Select(rule => rule.Name)],
        side => side with
        {
            ThroughputPerSecond = side.ThroughputPerSecond / (1 + share),
            P50Ms = side.P50Ms * (1 + share),
            P95Ms = side.P95Ms * (1 + share),
            P99Ms = side.P99Ms * (1 + share),
        });

    private static Injection Cost(double share) => new(
        string.Create(CultureInfo.InvariantCulture, $"+{share:0 %} cost"),
        [.. TimeRule.Costs.Select(rule => rule.Name)],
        side => side with
        {
            ServiceCpuMs = side.ServiceCpuMs * (1 + share),
            DatabaseCpuMs = side.DatabaseCpuMs * (1 + share),
            AllocatedBytes = side.AllocatedBytes * (1 + share),
        });

    private static Injection Count(string name, params string[] counters) => new(
        name, counters,
        side => side
            with { Counters =
                side.Counters.ToDictionary(c => c.Key, c => counters.Contains(c.Key) ? c.Value + 1 : c.Value) });

    private static GateSide Lost(GateSide side) =>
        side with { Faults =
            new Dictionary<string, long>(side.Faults) { ["lost"] = side.Faults.GetValueOrDefault("lost") + 1 } };
}
