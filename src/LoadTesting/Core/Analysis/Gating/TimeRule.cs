namespace LoadTesting.Core.Analysis.Gating;

/// <summary>How a time, or a measured cost, is judged by pairs.</summary>
/// <param name="Name">The metric.</param>
/// <param name="Margin">Worse by this share for sure is a regression, where the number of pairs is fixed.</param>
/// <param name="MinimumSamples">Samples that each side needs: ten above the percentile.</param>
/// <param name="IsBetterWhenHigher">Whether it is a rate.</param>
internal sealed record TimeRule(
    string Name, string Unit, double Margin, long MinimumSamples, Func<GateSide, double?> Value,
    bool IsBetterWhenHigher = false)
{


    /// <summary>Surely less worse than this is not a regression, where the number of pairs is fixed.</summary>
    public const double MaxMargin = 0.15;

    /// <summary>As <see cref="Margin"/>, where pairs are recorded until it is clear.</summary>
    public double SequentialMargin { get; init; } = 0.02;

    /// <summary>As <see cref="MaxMargin"/>, where pairs are recorded until it is clear.</summary>
    public double SequentialTolerance { get; init; } = 0.10;

    /// <summary>Time or cost.</summary>
    public GateMetricKind Kind { get; private init; } = GateMetricKind.Time;

    /// <summary>Of a cost, how far single runs differ, as a share, where too few are stored to tell.</summary>
    public double StoredSpread { get; private init; }

    /// <summary>Of a cost, operations from which on two single runs may be compared.</summary>
    public long StoredOperations { get; private init; }

    /// <summary>Whether the cost depends on the machine.</summary>
    public bool IsOfMachine => StoredOperations > 1;

    /// <summary>The times that gate. A maximum never does.</summary>
    public static IReadOnlyList<TimeRule> All { get; } =
    [
        new("throughput", "/s", 0.05, 1, side => side.ThroughputPerSecond, IsBetterWhenHigher: true),
        new("p50", "ms", 0.05, 20, side => side.P50Ms),
        new("p95", "ms", 0.05, 200, side => side.P95Ms),
        new("p99", "ms", 0.15, 1000, side => side.P99Ms) { SequentialMargin = 0.05, SequentialTolerance = 0.20 },
    ];

    /// <summary>
    /// Costs that are measured, which other load on the machine hardly moves; in process with the generator's.
    /// </summary>
    public static IReadOnlyList<TimeRule> Costs { get; } =
    [
        Cost("serviceCpu", "ms per operation", side => side.ServiceCpuMs)
            with { StoredSpread = 1, StoredOperations = 1000 },
        Cost("databaseCpu", "ms per operation", side => side.DatabaseCpuMs)
            with { StoredSpread = 1, StoredOperations = 1000 },
        Cost("allocated", "bytes per operation", side => side.AllocatedBytes)
            with { StoredSpread = 0.5, StoredOperations = 1 },
    ];

    /// <summary>
    /// Below full size a cost regresses only if it is surely more than half as much again: start and compilation weigh
    /// there.
    /// </summary>
    public TimeRule OfFewOperations() =>
        this with { Margin = StoredLimit.MaxUnseenShare, SequentialMargin = StoredLimit.MaxUnseenShare };

    /// <summary>Whether the times of a scenario gate: only at full size do percentiles mean something.</summary>
    public static bool AppliesTo(string scenario) =>
        scenario.EndsWith("-xl", StringComparison.Ordinal) || scenario.EndsWith("-xl-http", StringComparison.Ordinal);

    private static TimeRule Cost(string name, string unit, Func<GateSide, double?> value) =>
        new(name, unit, 0.05, 1, value) { Kind = GateMetricKind.Cost, SequentialTolerance = 0.05 };

    /// <summary>
    /// Natural logarithm of how much worse <paramref name="candidate"/> is; null when one is missing or not above 0.
    /// </summary>
    public double? Worse(double? reference, double? candidate) =>
        reference is > 0 && candidate is > 0
            ? (IsBetterWhenHigher ? -1 : 1) * Math.Log(candidate.Value / reference.Value) : null;

    /// <summary>A value that is worse by a share.</summary>
    public double WorseBy(double value, double share) => IsBetterWhenHigher ? value / (1 + share) : value * (1 + share);
}
