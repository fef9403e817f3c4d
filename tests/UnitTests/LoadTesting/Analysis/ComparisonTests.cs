namespace UnitTests.LoadTesting.Analysis;

public sealed class ComparisonTests
{
    [Theory]
    [InlineData(1000, 5, ComparisonFinding.Within)]
    [InlineData(1050, 4.8, ComparisonFinding.Within)]
    [InlineData(1600, 5, ComparisonFinding.Faster)]
    [InlineData(1000, 2.5, ComparisonFinding.Faster)]
    [InlineData(600, 5, ComparisonFinding.Slower)]
    [InlineData(1000, 10, ComparisonFinding.Slower)]
    [InlineData(833, 6, ComparisonFinding.Slower)]
    [InlineData(1200, 4.2, ComparisonFinding.Faster)]
    [InlineData(880, 5, ComparisonFinding.Within)]
    [InlineData(500, 2.5, ComparisonFinding.Mixed)]
    [InlineData(1500, 10, ComparisonFinding.Mixed)]
    public void Alike_results_are_ranked_by_what_agrees(double perSecond, double medianMs, ComparisonFinding expected)
    {
        var cell = Runs.Judged(Runs.Of(Runs.Long()), Runs.Of(Runs.Long(perSecond, medianMs)));

        Assert.Equal(expected, cell.Finding);
        Assert.Equal(perSecond / 1000, cell.Throughput!.Value, 6);
        Assert.Equal(medianMs / 5, cell.Median!.Value, 0.02);
        Assert.Equal(medianMs / 5, cell.P95!.Value, 0.02);
    }

    [Theory]
    [InlineData(1.02, 0.85, 1.8)]
    [InlineData(1.15, 0.85, 1.2)]
    [InlineData(0.80, 1.3, 0.85)]
    public void Figures_that_contradict_each_other_are_mixed(double throughput, double median, double p95)
    {
        var first = Runs.Long();
        var other = first with
        {
            ThroughputPerSecond = first.ThroughputPerSecond * throughput,
            Latency = first.Latency with { P50Ms = first.Latency.P50Ms * median, P95Ms = first.Latency.P95Ms * p95 },
        };

        Assert.Equal(ComparisonFinding.Mixed, Runs.Judged(Runs.Of(first), Runs.Of(other)).Finding);
        Assert.Equal(ComparisonFinding.Mixed, Runs.Judged(Runs.Of(other), Runs.Of(first)).Finding);
    }

    [Theory]
    [InlineData(199, 10_000)]
    [InlineData(200, 4_900)]
    public void Short_loads_give_ratios_without_a_word(int operations, double durationMs)
    {
        var first = Runs.Long() with { DurationMs = durationMs };
        first = first with { Latency = first.Latency with { N = operations } };

        var cell = Runs.Judged(Runs.Of(first), Runs.Of(first with { ThroughputPerSecond = 9000 }));

        Assert.Equal(ComparisonFinding.TooShort, cell.Finding);
        Assert.Equal(9, cell.Throughput!.Value);
    }

    [Fact]
    public void Runs_that_scatter_need_more_of_a_difference()
    {
        var (steady, restless) = (Runs.Long(), Runs.Long(perSecond: 700, medianMs: 7));
        double[] scatter = [1, 0.4, 1.7, 0.6, 1.4, 0.5, 1.6, 0.8, 1.2, 1];
        restless = restless with
        {
            Timeline = restless.Timeline! with
            {
                Points = [.. restless.Timeline.Points.Zip(scatter, (point, times) => point with
                {
                    Completed = (long)(point.Completed * times), P50Ms = point.P50Ms / times,
                    P95Ms = point.P95Ms / times,
                })],
            },
        };

        var cell = Runs.Judged(Runs.Of(steady), Runs.Of(restless));

        Assert.Equal(ComparisonFinding.Within, cell.Finding);
        Assert.InRange(cell.Throughput!.Margin, 1.5, 3);
        Assert.Equal(
            ComparisonVerdict.UnknownMargin,
            Runs.Judged(Runs.Of(steady), Runs.Of(steady with { Timeline = null })).Throughput!.Margin);
    }

    [Theory]
    [InlineData(0.1, ComparisonFinding.Slower)]
    [InlineData(0.5, ComparisonFinding.Within)]
    public void Processor_time_of_others_explains_a_difference(double others, ComparisonFinding expected)
    {
        var (alone, disturbed) = (Runs.Long(), Runs.Long(perSecond: 700, medianMs: 7));

        var cell = Runs.Judged(Runs.Of(Busy(alone, 0.02)), Runs.Of(Busy(disturbed, others)));

        Assert.Equal(expected, cell.Finding);
        Assert.Equal(Math.Max(1.1, 0.98 / (1 - others)), cell.Throughput!.Margin, 6);

        static ScenarioResult Busy(ScenarioResult scenario, double others) => scenario with
        {
            Timeline = scenario.Timeline! with
            {
                Points = [
                    .. scenario.Timeline.Points
                        .Select(point => point with { Cpu = new(0.3, null, 0.1, 0.4 + others) })],
            },
        };
    }

    [Fact]
    public void Planted_regression_is_ranked_and_named()
    {
        var other = Runs.Long(perSecond: 700, medianMs: 7) with { Injected = "delay:+40%" };

        var cell = Runs.Judged(Runs.Of(Runs.Long()), Runs.Of(other));

        Assert.Equal(ComparisonFinding.Slower, cell.Finding);
        Assert.Equal(new("injected", "nothing", "delay:+40%", ForbidsVerdict: false), Assert.Single(cell.Differences));
    }

    [Fact]
    public void Runs_that_share_profiles_are_paired_profile_by_profile()
    {
        var run = Runs.Of(Runs.Long(profile: "memory"), Runs.Long(profile: "postgres"));

        var comparison = Runs.Compare(run, run);

        Assert.Equal(
            ["A memory", "B memory", "C postgres", "D postgres"], comparison.Columns.Select(column => column.Title));
        Assert.Equal(2, comparison.Sections.Count);
        Assert.All(comparison.Rows, row => Assert.Equal(ComparisonFinding.Within, row.Cells[1].Finding));
    }

    [Fact]
    public void Profile_of_one_run_alone_is_named()
    {
        var (both, one) = (Runs.Of(Runs.Long(profile: "memory"), Runs.Long()), Runs.Of(Runs.Long()));

        var comparison = Runs.Compare(both, one);

        Assert.Equal(["A postgres", "B postgres"], comparison.Columns.Select(column => column.Title));
        Assert.Equal("memory", Assert.Single(comparison.Unpaired).Profile);
    }

    public static TheoryData<string, Func<RunResult, RunResult>> Unlike => new()
    {
        { "processor", run => run with { Environment = run.Environment with { CpuModel = "another" } } },
        { "cores", run => run with { Environment = run.Environment with { Cores = null } } },
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
        { "outcome",
            run => Change(run, scenario => scenario with { Verdict = new(VerdictOutcome.Inconclusive, ["noise"]) }) },
        { "outcome", run => Change(run, scenario => scenario with { Ledger = scenario.Ledger! with { Lost = 1 } }) },
        { "outcome",
            run => Change(
                run, scenario => scenario with { Generator = new GeneratorResult { Health = GeneratorState.Bound } }) },
    };

    [Theory]
    [MemberData(nameof(Unlike))]
    public void Unlike_results_are_not_ranked_and_the_difference_is_named(
        string what, Func<RunResult, RunResult> change)
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
    public void Commit_and_patched_backend_do_not_prevent_a_ranking()
    {
        var run = Runs.Of(Runs.Long());
        var backend = run.Environment.Backends["postgres"];
        var other = WithBackend(run, backend with { Version = "15.20" }) with { Commit = "1111111aaaa", Dirty = false };

        var comparison = Runs.Compare(run, other);

        Assert.Equal(
            [
                new("backend", "PostgreSQL 15.18", "PostgreSQL 15.20", ForbidsVerdict: false),
                new("commit", "8d4f1c2 with uncommitted changes", "1111111", ForbidsVerdict: false),
            ],
            comparison.Columns[1].Differences);
        Assert.Equal(ComparisonFinding.Within, comparison.Rows[0].Cells[1].Finding);
    }

    [Fact]
    public void Rows_match_across_profiles_by_name_and_hosting()
    {
        var first = Runs.Of(Runs.Scenario(profile: "postgres"));
        var other = Runs.Of(
            Runs.Scenario(profile: "memory"), Runs.Scenario(profile: "memory") with { Hosting = HostingKind.Http });

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
        var both = Runs.Of(Runs.Long(), OverBroker(Runs.Long(perSecond: 500)));

        var rows = Runs.Compare(both, Runs.Of(OverBroker(Runs.Long(perSecond: 490)))).Rows;

        Assert.Equal(["signal-roundtrip", "signal-roundtrip-rabbitmq"], rows.Select(row => row.Name));
        Assert.Equal([ComparisonFinding.Missing, ComparisonFinding.Within], rows.Select(row => row.Cells[1].Finding));
        Assert.All(rows.SelectMany(row => row.Cells), cell => Assert.True(cell.Repetitions <= 1));
    }

    [Fact]
    public void Rows_keep_the_order_of_the_first_column()
    {
        var first = Runs.Of(Runs.Scenario(name: "c2"), Runs.Scenario(name: "c10"));
        var other = Runs.Of(Runs.Scenario(name: "z"), Runs.Scenario(name: "c10"), Runs.Scenario(name: "a"));

        Assert.Equal(["c2", "c10", "a", "z"], Runs.Compare(first, other).Rows.Select(row => row.Name));
    }

    [Fact]
    public void Newest_repetition_counts()
    {
        var cell = Runs.Judged(Runs.Of(Runs.Long()), Runs.Of(Runs.Long(perSecond: 10), Runs.Long(perSecond: 990)));

        Assert.Equal(2, cell.Repetitions);
        Assert.Equal(990, cell.Scenario!.ThroughputPerSecond);
        Assert.Equal(ComparisonFinding.Within, cell.Finding);
    }

    [Fact]
    public void Profiles_of_one_run_are_separate_columns()
    {
        var run = SampleRun.Create().As("run");

        Assert.Equal(["A memory", "B postgres"], Comparison.Of([run]).Columns.Select(column => column.Title));
        Assert.Equal(["A postgres", "B postgres"],
            Comparison.Of([run, run], ["postgres"]).Columns.Select(column => column.Title));
    }

    [Fact]
    public void Difference_of_every_row_is_said_once()
    {
        var run = Runs.Of(Runs.Scenario(name: "a"), Runs.Scenario(name: "b"));

        var comparison = Runs.Compare(run, Change(run, scenario => scenario with { DefinitionHash = null, Lanes = 8 }));

        Assert.Equal(
            [new("content", "by scenario", "not recorded", ForbidsVerdict: true),
                new("lanes", "4", "8", ForbidsVerdict: false)],
            comparison.Columns[1].Differences);
        Assert.All(comparison.Rows, row => Assert.Empty(row.Cells[1].Differences));
        Assert.All(comparison.Rows, row => Assert.Equal(ComparisonFinding.NotRanked, row.Cells[1].Finding));
    }

    [Fact]
    public void Nothing_to_compare_is_an_error_that_names_the_run()
    {
        var run = Runs.Of(Runs.Scenario()).As("only.json");

        Assert.Contains("only.json", Assert.Throws<FormatException>(() => Comparison.Of([run])).Message);
        Assert.Contains("empty.json",
            Assert.Throws<FormatException>(() => Comparison.Of([run, Runs.Of().As("empty.json")])).Message);
        Assert.Contains(
            "has postgres", Assert.Throws<FormatException>(() => Comparison.Of([run, run], ["oracle"])).Message);
    }

    private static ScenarioResult OverBroker(ScenarioResult scenario) =>
        scenario with { Name = scenario.Name + "-rabbitmq", Transport = "rabbitmq" };

    private static void AssertNotRanked(string what, ComparisonCell cell)
    {
        Assert.Equal(ComparisonFinding.NotRanked, cell.Finding);
        Assert.Null(cell.Throughput);
        Assert.Null(cell.Median);
        var difference = Assert.Single(cell.Column.Differences.Concat(cell.Differences));
        Assert.Equal((what, true), (difference.What, difference.ForbidsVerdict));
    }

    private static RunResult Change(RunResult run, Func<ScenarioResult, ScenarioResult> change) =>
        run with { Scenarios = [.. run.Scenarios.Select(change)] };

    private static RunResult Durability(RunResult run, string? durability) =>
        WithBackend(run, run.Environment.Backends["postgres"] with { Durability = durability });

    private static RunResult WithBackend(RunResult run, BackendInfo backend) =>
        run with { Environment =
            run.Environment with { Backends = new Dictionary<string, BackendInfo> { ["postgres"] = backend } } };
}
