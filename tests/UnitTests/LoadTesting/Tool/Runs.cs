using LoadTesting.Core.Analysis;
using LoadTesting.Core.Results;
using UnitTests.LoadTesting.Reporting;

namespace UnitTests.LoadTesting.Tool;

/// <summary>Runs to set beside each other.</summary>
internal static class Runs
{
    private const int Operations = 200;

    /// <summary>One scenario of one profile, on a known machine, with durable storage.</summary>
    public static RunResult Of(params IReadOnlyList<ScenarioResult> scenarios) => SampleRun.Create() with { Scenarios = scenarios };

    public static ScenarioResult Scenario(
        double perSecond = 1000, double medianMs = 5, string profile = "postgres", string name = "signal-roundtrip") =>
        SampleRun.Scenario(profile, name, Operations, concurrency: 8, medianMs, perSecond);

    public static ComparisonSource As(this RunResult run, string label) => new(label, run);
    public static Comparison Compare(RunResult first, RunResult other) => Comparison.Of([first.As("first"), other.As("other")]);

    /// <summary>The result of the second column in the only row.</summary>
    public static ComparisonCell Judged(RunResult first, RunResult other) => Xunit.Assert.Single(Compare(first, other).Rows).Cells[1];
}
