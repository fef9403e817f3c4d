using LoadTesting.Core.Reporting.Markdown;
using LoadTesting.Core.Reporting.Tables;

namespace UnitTests.LoadTesting.Results;

/// <summary>The published Oracle table as a result file, compared with the figures as the source prints them.</summary>
public sealed class PublishedBaselineTests
{
    private const string Profile = "oracle-aq";

    private static readonly string Text = Repository.Text("fixtures/baselines/seed/oracle-aq-2026-03-17.json");
    private static readonly RunResult Published = ResultJson.Read(Text);

    [Fact]
    public void Published_baseline_follows_the_published_schema()
    {
        Assert.Empty(ResultSchemaTests.Violations(Text, Repository.Text("fixtures/schema/run.schema.json")));
        Assert.Equal(ResultJson.Write(Published), Text);
    }

    [Fact]
    public void Published_baseline_holds_fifteen_scenarios_of_one_profile()
    {
        Assert.Equal(15, Published.Scenarios.Select(scenario => scenario.Name).Distinct().Count());
        Assert.Equal(15, Published.Scenarios.Count);
        Assert.All(Published.Scenarios, scenario => Assert.Equal(Profile, scenario.Profile));
    }

    [Theory]
    [InlineData("signal-roundtrip-capacity-c1", "Capacity", 16, 1, null, 4752.27, 3.37, 4257.28, 4336.38, 4359.67, 64,
        3609, 232824)]
    [InlineData("signal-roundtrip-capacity-c4", "Capacity", 64, 4, null, 4205.24, 15.22, 3926.42, 3988.33, 3994.74, 256,
        19710, 913884)]
    [InlineData(
        "signal-roundtrip-capacity-c8", "Capacity", 128, 8, null, 5998.88, 21.34, 5226.56, 5561.22, 5605.59, 512,
        66375, 1910412)]
    [InlineData(
        "signal-roundtrip-capacity-c16", "Capacity", 256, 16, null, 7523.47, 34.03, 6551.81, 6710.05, 6721.81, 1024,
        229828, 3796688)]
    [InlineData("signal-roundtrip-latency-serial", "Latency", 16, 1, 1, 49755.52, 0.32, 3104.85, 3165.04, 3232.4, null,
        null, null)]
    [InlineData("bulstrad-quotation-confirm-convert-to-policy-nightly", "Nightly", 12, 4, null, 6761.14, 1.77, 5679.63,
        6259.65, 6276.32,
        48, 18562, 505656)]
    [InlineData(
        "delayed-burst-nightly", "Nightly", 48, 1, null, 4483.42, 10.71, 3908.13, 3978.47, 3991.75, 96, 3043, 197696)]
    [InlineData(
        "immediate-burst-nightly", "Nightly", 120, 1, null, 2391.29, 50.18, 902.17, 1179.59, 1207.44, 240, 12426,
        451200)]
    [InlineData("synthetic-external-resume-nightly", "Nightly", 36, 8, null, 6793.73, 5.3, 6238.8, 6425.95, 6466.75,
        null, null, null)]
    [InlineData(
        "bulstrad-quote-or-apl-cancel-smoke", "Smoke", 10, 4, null, 507.79, 19.69, 28.54, 40.05, 42.93, 10, 3411,
        40748)]
    [InlineData("delayed-burst-smoke", "Smoke", 12, 1, null, 4202.91, 2.86, 4040.62, 4083.7, 4084.12, 24, 566, 52724)]
    [InlineData("immediate-burst-smoke", "Smoke", 24, 1, null, 421.48, 56.94, 205.87, 209.9, 210.16, 48, 973, 88700)]
    [InlineData("synthetic-external-resume-smoke", "Smoke", 12, 4, null, 3843.39, 3.12, 3644.91, 3691.31, 3696.92, null,
        null, null)]
    [InlineData(
        "signal-roundtrip-soak", "Soak", 108, 8, null, 27620.16, 3.91, 4494.29, 5589.33, 5595.04, 432, 104711, 1535580)]
    [InlineData(
        "signal-roundtrip-throughput-parallel", "Throughput", 96, 16, 8, 4575.99, 20.98, 4142.13, 4215.64, 4233.33,
        null,
        null, null)]
    public void Scenario_carries_the_figures_of_the_source(
        string name, string tier, int operations, int concurrency, int? workers, double durationMs, double perSecond,
        double averageMs,
        double p95Ms, double maxMs, int? commits, int? logicalReads, int? redoBytes)
    {
        var scenario = Find(name);

        Assert.Equal(
            ("WorkflowPerf" + tier, operations, concurrency, workers),
            (scenario.Tier, (int)scenario.Operations, scenario.Concurrency, scenario.SignalWorkers));
        Assert.Equal((durationMs, perSecond), (scenario.DurationMs, scenario.ThroughputPerSecond));
        Assert.Equal(
            (averageMs, p95Ms, maxMs), (scenario.Latency.AverageMs, scenario.Latency.P95Ms, scenario.Latency.MaxMs));
        Assert.Equal(
            (commits, logicalReads, redoBytes),
            (Raw(scenario, "userCommits"), Raw(scenario, "sessionLogicalReads"), Raw(scenario, "redoSizeBytes")));
        Assert.Equal((double?)commits / operations, scenario.Backend?.PerOperation["commits"]);
    }

    [Theory]
    [InlineData("signal-roundtrip-latency-serial", "start", 25.14, 41.92, 45.27)]
    [InlineData("signal-roundtrip-latency-serial", "signalPublish", 16.57, 31.39, 50.72)]
    [InlineData("signal-roundtrip-latency-serial", "signalToCompletion", 3079.7, 3128.56, 3203.33)]
    [InlineData("signal-roundtrip-throughput-parallel", "start", 63.15, 122.1, 134.45)]
    [InlineData("signal-roundtrip-throughput-parallel", "signalPublish", 18.61, 25.99, 29.06)]
    [InlineData("signal-roundtrip-throughput-parallel", "signalToCompletion", 3905.26, 4007.86, 4016.82)]
    public void Phase_carries_the_figures_of_the_source(
        string name, string phase, double averageMs, double p95Ms, double maxMs)
    {
        var latency = Find(name).Phases[phase];

        Assert.Equal((averageMs, p95Ms, maxMs), (latency.AverageMs, latency.P95Ms, latency.MaxMs));
    }

    [Fact]
    public void Figures_that_the_source_lacks_are_null()
    {
        Assert.All(Published.Scenarios
            .SelectMany(scenario => scenario.Phases.Values.Append(scenario.Latency)), latency =>
            Assert.Equal((null, null, null), (latency.P50Ms, latency.P99Ms, latency.Histogram)));
        Assert.All(Published.Scenarios, scenario => Assert.Null(scenario.Ledger));
        Assert.All(Published.Scenarios, scenario => Assert.Null(scenario.DefinitionHash));
        Assert.Null(Published.Environment.Fingerprint);
        Assert.Null(Published.Environment.Backends[Profile].Durability);
    }

    [Fact]
    public void Notes_say_where_it_is_from_and_what_its_latency_contains()
    {
        Assert.Contains(
            Published.Notes, note => note.Contains("Oracle Performance Baseline 2026-03-17", StringComparison.Ordinal));
        Assert.Contains(
            Published.Notes, note => note.Contains("wait until the signal drain was idle", StringComparison.Ordinal));
    }

    [Fact]
    public void Published_baseline_beside_a_run_ranks_no_row()
    {
        var comparison =
            Comparison.Of([Published.As("published"), SampleRun.Create().As("run")], [Profile, "postgres"]);

        Assert.Equal(
            Published.Scenarios.Select(scenario => scenario.NameWithoutProfile()),
            comparison.Rows.Take(15).Select(row => row.Name));
        Assert.Equal(17, comparison.Rows.Count);
        Assert.Equal(4, comparison.Rows.Count(row => row.Cells[1].Finding == ComparisonFinding.NotRanked));
        Assert.All(comparison.Rows, row => Assert.Null(row.Cells[1].Throughput));
        Assert.Contains(
            "not ranked: processor not recorded in A; cores not recorded in A; memory not recorded in A; runtime not "
                + "recorded in A; durability not recorded in A; ",
            MarkdownDocument.Render(ReportDocument.Of(comparison)));
    }

    private static ScenarioResult Find(string name) =>
        Published.Scenarios.Single(scenario => scenario.NameWithoutProfile() == name);

    private static int? Raw(ScenarioResult scenario, string counter) => (int?)scenario.Backend?.Raw[counter];
}
