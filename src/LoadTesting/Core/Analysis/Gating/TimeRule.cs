namespace LoadTesting.Core.Analysis.Gating;

/// <summary>How a time is judged by pairs.</summary>
/// <param name="Name">The metric.</param>
/// <param name="Unit">Its unit.</param>
/// <param name="Margin">Worse by this share for sure is a regression.</param>
/// <param name="MinimumSamples">Samples that each leg needs: ten beyond the percentile.</param>
/// <param name="Value">Its value.</param>
/// <param name="IsBetterWhenHigher">Whether it is a rate.</param>
internal sealed record TimeRule(
    string Name, string Unit, double Margin, long MinimumSamples, Func<GateLeg, double?> Value, bool IsBetterWhenHigher = false)
{
    /// <summary>Surely less worse than this is not a regression.</summary>
    public const double GreatestMargin = 0.15;

    /// <summary>The times that gate. A maximum never does.</summary>
    public static IReadOnlyList<TimeRule> All { get; } =
    [
        new("throughput", "/s", 0.05, 1, leg => leg.ThroughputPerSecond, IsBetterWhenHigher: true),
        new("p50", "ms", 0.05, 20, leg => leg.P50Ms),
        new("p95", "ms", 0.05, 200, leg => leg.P95Ms),
        new("p99", "ms", 0.15, 1000, leg => leg.P99Ms),
    ];

    /// <summary>Whether the times of a scenario gate: only at full size do percentiles mean something.</summary>
    public static bool AppliesTo(string scenario) =>
        scenario.EndsWith("-xl", StringComparison.Ordinal) || scenario.EndsWith("-xl-http", StringComparison.Ordinal);

    /// <summary>Natural logarithm of how much worse <paramref name="candidate"/> is; null when one is missing or not above 0.</summary>
    public double? Worse(double? reference, double? candidate) =>
        reference is > 0 && candidate is > 0 ? (IsBetterWhenHigher ? -1 : 1) * Math.Log(candidate.Value / reference.Value) : null;

    /// <summary>What a value comes to that is worse by a share.</summary>
    public double WorseBy(double value, double share) => IsBetterWhenHigher ? value / (1 + share) : value * (1 + share);
}
