namespace UnitTests.LoadTesting.Analysis;

public sealed class ComparisonTests
{
    [Theory]
    [InlineData(1000, 5, ComparisonFinding.Within)]
    [InlineData(1050, 4.8, ComparisonFinding.Within)]
    [InlineData(1500, 5, ComparisonFinding.Faster)]
    [InlineData(1000, 2.5, ComparisonFinding.Faster)]
    [InlineData(500, 5, ComparisonFinding.Slower)]
    [InlineData(1000, 10, ComparisonFinding.Slower)]
    [InlineData(500, 2.5, ComparisonFinding.Mixed)]
    [InlineData(1500, 10, ComparisonFinding.Mixed)]
    public void Alike_results_are_ranked_by_throughput_and_median(double perSecond, double medianMs, ComparisonFinding expected)
    {
        var cell = Runs.Judged(Runs.Of(Runs.Scenario()), Runs.Of(Runs.Scenario(perSecond, medianMs)));

        Assert.Equal(expected, cell.Finding);
        Assert.Equal(perSecond / 1000, cell.ThroughputRatio!.Value, 6);
        Assert.Equal(medianMs / 5, cell.LatencyRatio!.Value, 0.02);
    }

    public static TheoryData<string, Func<RunResult, RunResult>> Unlike => new()
    {
        { "machine", run => run with { Environment = run.Environment with { Fingerprint = ContentHash.Of("another") } } },
        { "machine", run => run with { Environment = run.Environment with { Fingerprint = null } } },
        { "durability", run => Durability(run, "none") },
        { "durability", run => Durability(run, null) },
        { "content", run => Change(run, scenario => scenario with { DefinitionHash = ContentHash.Of("another") }) },
        { "content", run => Change(run, scenario => scenario with { DefinitionHash = null }) },
        { "operations", run => Change(run, scenario => scenario with { Operations = 201 }) },
        { "concurrency", run => Change(run, scenario => scenario with { Concurrency = 9 }) },
        { "signal workers", run => Change(run, scenario => scenario with { SignalWorkers = 8 }) },
        { "transport", run => Change(run, OverBroker) },
        { "load engine", run => Change(run, scenario => scenario with { LoadEngine = "nbomber" }) },
        { "load model", run => Change(run, scenario => scenario with { LoadModel = "open, 200 per second" }) },
        { "outcome", run => Change(run, scenario => scenario with { Verdict = new(VerdictOutcome.Inconclusive, ["noise"]) }) },
        { "outcome", run => Change(run, scenario => scenario with { Ledger = scenario.Ledger! with { Lost = 1 } }) },
        { "outcome", run => Change(run, scenario => scenario with { Generator = new GeneratorResult { Health = GeneratorState.Bound } }) },
        { "outcome", run => Change(run, scenario => scenario with { Injected = "delay:+30%" }) },
    };

    [Theory]
    [MemberData(nameof(Unlike))]
    public void Unlike_results_are_not_ranked_and_the_difference_is_named(string what, Func<RunResult, RunResult> change)
    {
        var run = Runs.Of(Runs.Scenario());

        AssertNotRanked(what, Runs.Judged(run, change(run)));
        AssertNotRanked(what, Runs.Judged(change(run), run));
    }

    [Fact]
    public void What_is_unknown_on_both_sides_is_not_taken_as_equal()
    {
        var run = Change(Runs.Of(Runs.Scenario()), scenario => scenario with { DefinitionHash = null });

        AssertNotRanked("content", Runs.Judged(run, run));
    }

    [Fact]
    public void Commit_version_and_settings_are_reported_and_do_not_prevent_a_ranking()
    {
        var run = Runs.Of(Runs.Scenario());
        var backend = run.Environment.Backends["postgres"];
        var settings = new Dictionary<string, string>(backend.Settings) { ["shared_buffers"] = "1GB" };
        var other = WithBackend(run, backend with { Version = "17.2", Settings = settings }) with { Commit = "1111111aaaa", Dirty = false };

        var comparison = Runs.Compare(run, other);

        Assert.Equal(
            [
                new("backend", "PostgreSQL 15.18", "PostgreSQL 17.2", ForbidsVerdict: false),
                new("commit", "8d4f1c2 with uncommitted changes", "1111111", ForbidsVerdict: false),
                new("setting shared_buffers", "128MB", "1GB", ForbidsVerdict: false),
            ],
            comparison.Columns[1].Differences);
        Assert.Equal(ComparisonFinding.Within, comparison.Rows[0].Cells[1].Finding);
    }

    [Fact]
    public void Few_operations_give_ratios_without_a_word()
    {
        var few = SampleRun.Scenario("postgres", "smoke", operations: 12, concurrency: 4, medianMs: 5, perSecond: 100);

        var cell = Runs.Judged(Runs.Of(few), Runs.Of(few with { ThroughputPerSecond = 900 }));

        Assert.Equal(ComparisonFinding.TooFew, cell.Finding);
        Assert.Equal(9, cell.ThroughputRatio);
    }

    [Fact]
    public void Rows_match_across_profiles_by_name_without_profile_and_by_hosting()
    {
        var first = Runs.Of(Runs.Scenario(profile: "postgres"));
        var other = Runs.Of(Runs.Scenario(profile: "memory"), Runs.Scenario(profile: "memory") with { Hosting = HostingKind.Http });

        var rows = Runs.Compare(first, other).Rows;

        Assert.Equal(
            [("signal-roundtrip", HostingKind.InProcess), ("signal-roundtrip", HostingKind.Http)],
            rows.Select(row => (row.Name, row.Hosting)));
        Assert.Equal(ComparisonFinding.NotRanked, rows[0].Cells[1].Finding);
        Assert.Null(rows[1].Cells[0].Scenario);
        Assert.Equal(ComparisonFinding.Missing, rows[1].Cells[1].Finding);
        Assert.NotNull(rows[1].Cells[1].Scenario);
    }

    [Fact]
    public void Transports_of_one_run_have_rows_of_their_own()
    {
        var both = Runs.Of(Runs.Scenario(), OverBroker(Runs.Scenario(perSecond: 500)));

        var rows = Runs.Compare(both, Runs.Of(OverBroker(Runs.Scenario(perSecond: 490)))).Rows;

        Assert.Equal(["signal-roundtrip", "signal-roundtrip-rabbitmq"], rows.Select(row => row.Name));
        Assert.Equal([ComparisonFinding.Missing, ComparisonFinding.Within], rows.Select(row => row.Cells[1].Finding));
        Assert.All(rows.SelectMany(row => row.Cells), cell => Assert.True(cell.Repetitions <= 1));
    }

    [Fact]
    public void Rows_keep_the_order_of_the_first_column_and_the_rest_follows_by_name()
    {
        var first = Runs.Of(Runs.Scenario(name: "c2"), Runs.Scenario(name: "c10"));
        var other = Runs.Of(Runs.Scenario(name: "z"), Runs.Scenario(name: "c10"), Runs.Scenario(name: "a"));

        Assert.Equal(["c2", "c10", "a", "z"], Runs.Compare(first, other).Rows.Select(row => row.Name));
    }

    [Fact]
    public void Of_repetitions_the_newest_counts()
    {
        var cell = Runs.Judged(Runs.Of(Runs.Scenario()), Runs.Of(Runs.Scenario(perSecond: 10), Runs.Scenario(perSecond: 990)));

        Assert.Equal(2, cell.Repetitions);
        Assert.Equal(990, cell.Scenario!.ThroughputPerSecond);
        Assert.Equal(ComparisonFinding.Within, cell.Finding);
    }

    [Fact]
    public void Profiles_of_one_run_are_columns_of_their_own_and_may_be_chosen()
    {
        var run = SampleRun.Create().As("run");

        Assert.Equal(["A memory", "B postgres"], Comparison.Of([run]).Columns.Select(column => column.Title));
        Assert.Equal(["A postgres", "B postgres"], Comparison.Of([run, run], ["postgres"]).Columns.Select(column => column.Title));
    }

    [Fact]
    public void What_differs_in_every_row_is_said_once()
    {
        var run = Runs.Of(Runs.Scenario(name: "a"), Runs.Scenario(name: "b"));

        var comparison = Runs.Compare(run, Change(run, scenario => scenario with { DefinitionHash = null, Lanes = 8 }));

        Assert.Equal(
            [new("content", "by scenario", "not recorded", ForbidsVerdict: true), new("lanes", "4", "8", ForbidsVerdict: false)],
            comparison.Columns[1].Differences);
        Assert.All(comparison.Rows, row => Assert.Empty(row.Cells[1].Differences));
        Assert.All(comparison.Rows, row => Assert.Equal(ComparisonFinding.NotRanked, row.Cells[1].Finding));
    }

    [Fact]
    public void Nothing_to_compare_is_an_error_that_names_the_run()
    {
        var run = Runs.Of(Runs.Scenario()).As("only.json");

        Assert.Contains("only.json", Assert.Throws<FormatException>(() => Comparison.Of([run])).Message);
        Assert.Contains("empty.json", Assert.Throws<FormatException>(() => Comparison.Of([run, Runs.Of().As("empty.json")])).Message);
        Assert.Contains("has postgres", Assert.Throws<FormatException>(() => Comparison.Of([run, run], ["oracle"])).Message);
    }

    private static ScenarioResult OverBroker(ScenarioResult scenario) =>
        scenario with { Name = scenario.Name + "-rabbitmq", Transport = "rabbitmq" };

    private static void AssertNotRanked(string what, ComparisonCell cell)
    {
        Assert.Equal(ComparisonFinding.NotRanked, cell.Finding);
        Assert.Null(cell.ThroughputRatio);
        Assert.Null(cell.LatencyRatio);
        var difference = Assert.Single(cell.Column.Differences.Concat(cell.Differences));
        Assert.Equal((what, true), (difference.What, difference.ForbidsVerdict));
    }

    private static RunResult Change(RunResult run, Func<ScenarioResult, ScenarioResult> change) =>
        run with { Scenarios = [.. run.Scenarios.Select(change)] };

    private static RunResult Durability(RunResult run, string? durability) =>
        WithBackend(run, run.Environment.Backends["postgres"] with { Durability = durability });

    private static RunResult WithBackend(RunResult run, BackendInfo backend) =>
        run with { Environment = run.Environment with { Backends = new Dictionary<string, BackendInfo> { ["postgres"] = backend } } };
}
