namespace UnitTests.LoadTesting.Samples;

/// <summary>Runs to set beside each other.</summary>
internal static class Runs
{
    private const int Operations = 200;

    /// <summary>One scenario of one profile, on a known machine, with durable storage.</summary>
    public static RunResult Of(params IReadOnlyList<ScenarioResult> scenarios) => 
        SampleRun.Create() with { Scenarios = scenarios, Capacity = [] };

    public static ScenarioResult Scenario(
        double perSecond = 1000, double medianMs = 5, string profile = "postgres", string name = "signal-roundtrip") =>
        SampleRun.Scenario(profile, name, Operations, concurrency: 8, medianMs, perSecond);

    /// <summary>As <see cref="Scenario"/>, of a load that is long and steady enough for a word.</summary>
    public static ScenarioResult Long(
        double perSecond = 1000, double medianMs = 5, string profile = "postgres", string name = "signal-roundtrip") =>
        Scenario(perSecond, medianMs, profile, name) with
        {
            DurationMs = 10_000, Timeline = SampleRun.Timeline(Operations, medianMs, seconds: 10),
        };

    public static ComparisonSource As(this RunResult run, string label) => new(label, run);
    public static Comparison Compare(RunResult first, RunResult other) =>
        Comparison.Of([first.As("first"), other.As("other")]);

    /// <summary>The result of the second column in the only row.</summary>
    public static ComparisonCell Judged(RunResult first, RunResult other) =>
        Assert.Single(Compare(first, other).Rows).Cells[1];
}
