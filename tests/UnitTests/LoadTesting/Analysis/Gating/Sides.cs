using LoadTesting.Core.Analysis.Gating;

namespace UnitTests.LoadTesting.Analysis.Gating;

/// <summary>Sides, pairs and runs to gate.</summary>
internal static class Sides
{
    public const string FullSize = "postgres-signal-roundtrip-throughput-parallel-xl";

    public static GateSide Side(double slower = 0, double commits = 1.28, long lost = 0, double costlier = 0) => new()
    {
        Operations = 16_000,
        N = 16_000,
        ThroughputPerSecond = 4000 / (1 + slower),
        P50Ms = 2000 * (1 + slower),
        P95Ms = 2500 * (1 + slower),
        P99Ms = 2600 * (1 + slower),
        ServiceCpuMs = 0.4 * (1 + costlier),
        AllocatedBytes = 90_000 * (1 + costlier),
        Counters = new Dictionary<string, double?>
            { ["commits"] = commits, ["statements"] = 3.2, ["walSyncs"] = 0.6, ["rows"] = null },
        Faults = new Dictionary<string, long> { ["lost"] = lost, ["stuck"] = 0 },
    };

    public static GatePair Pair(int number, GateSide candidate, params IReadOnlyList<string> vetoes) =>
        new() { Number = number, Base = Side(), Candidate = candidate, Vetoes = vetoes };

    /// <summary>Pairs whose candidates are slower by the shares given.</summary>
    public static IReadOnlyList<GatePair> Slower(
        params IReadOnlyList<double> shares) => [.. shares.Select((share, index) => Pair(index + 1, Side(share)))];

    public static IReadOnlyList<GatePair> Of(
        int count, Func<int, GateSide> candidate) =>
            [.. Enumerable.Range(1, count).Select(number => Pair(number, candidate(number)))];

    public static GateFinding Finding(this GateRow row, string metric) =>
        row.Findings.Single(finding => finding.Metric == metric);

    public static ScenarioResult Scenario(
        string name = "signal-roundtrip-throughput-parallel-xl", int concurrency = 16, int operations = 2000,
        double commits = 1.28,
        double perSecond = 1000, double medianMs = 5, double walBytes = 2300) =>
        SampleRun.Scenario("postgres", name, operations, concurrency, medianMs, perSecond) with
        {
            Backend = new BackendCounters { PerOperation = new Dictionary<string,
                double?> { ["commits"] = commits, ["rows"] = 6, ["walBytes"] = walBytes, ["walSyncs"] = null } },
            Validity = null,
        };

    public static ComparisonSource Run(params IReadOnlyList<ScenarioResult> scenarios) =>
        new("run", SampleRun.Create() with { Scenarios = scenarios, Capacity = [] });
}
