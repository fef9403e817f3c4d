namespace UnitTests.LoadTesting.Tool;

public sealed class BaselineAcceptTests : ToolTests
{
    [Fact]
    public async Task Sound_run_is_kept_whole_under_its_own_name()
    {
        var run = Sound();

        Assert.Equal((0, ""), (await AcceptAsync(run), Error.ToString()));

        var store = new BaselineStore(Store);
        Assert.Equal([run.RunId + ".json"], store.Files.Select(Path.GetFileName));
        Assert.Equal(ResultJson.Write(run), ResultJson.Write(Assert.Single(await store.ReadAsync(Cancel))));
        Assert.Contains("2 scenarios", Out.ToString());
    }

    [Fact]
    public async Task Baseline_is_never_written_over()
    {
        await AcceptAsync(Sound());
        var file = Assert.Single(new BaselineStore(Store).Files);
        var before = await File.ReadAllTextAsync(file, Cancel);

        Assert.Equal(2, await AcceptAsync(Sound() with { Notes = ["another"] }));
        Assert.Contains("is there already, and baselines are never written over", Error.ToString());
        Assert.Equal(before, await File.ReadAllTextAsync(file, Cancel));
    }

    [Fact]
    public async Task Directory_of_another_machine_class_is_refused()
    {
        await AcceptAsync(Sound());
        var other = Sound() with { RunId = "20260318T101500Z-8d4f1c2" };

        Assert.Equal(2, await AcceptAsync(other with { Environment = other.Environment with { MachineClass = "other-64c-256g" } }));
        Assert.Contains("holds baselines of machine class 'intel-xeon-2-50ghz-2c-24g', this run is of 'other-64c-256g'", Error.ToString());
        Assert.Single(new BaselineStore(Store).Files);
    }

    public static TheoryData<string, string> Unsound => new()
    {
        { "failed", "postgres-b: verdict.outcome is failed (p95 is 9 ms; the limit is 5 ms)." },
        { "inconclusive", "postgres-b: verdict.outcome is inconclusive." },
        { "bound", "postgres-b: generator.health is bound (The process used 97 % of each core; the limit is 80 %.)." },
        { "health unknown", "postgres-b: generator.health is not recorded." },
        { "no ledger", "postgres-b: ledger is not recorded." },
        { "not valid", "postgres-b: validity.checks.backlog is failed (3 rows are left; 0 are allowed)." },
        { "not quiet", "postgres-b: validity.environment.steal is failed (4.0 % of the time; the limit is 2 %)." },
        { "not steady", "postgres-b: validity.warmUp.steady is false." },
        { "validity unknown", "postgres-b: validity is not recorded." },
        { "injected", "postgres-b: injected is 'delay:+10%'." },
        { "no content", "postgres-b: definitionHash is not recorded." },
        { "no samples", "postgres-b: latency.n is 0." },
    };

    [Theory]
    [MemberData(nameof(Unsound))]
    public async Task Unsound_scenario_is_refused_by_name_and_the_others_can_be_kept_without_it(string flaw, string refusal)
    {
        var run = Sound();
        run = run with { Scenarios = [run.Scenarios[0], Flawed(run.Scenarios[1], flaw)] };

        Assert.Equal(1, await AcceptAsync(run));
        Assert.Contains(refusal, Error.ToString());
        Assert.Contains("leave it out with --scenario '!postgres-b'", Error.ToString());
        Assert.Contains("1 refused. Nothing was written.", Error.ToString());
        Assert.False(Directory.Exists(Store));

        Assert.Equal(0, await AcceptAsync(run, "--fit-only"));
        Assert.Contains("left out: " + refusal, Error.ToString());
        var kept = Assert.Single(await new BaselineStore(Store).ReadAsync(Cancel));
        Assert.Equal("postgres-a", Assert.Single(kept.Scenarios).Name);
    }

    [Fact]
    public async Task Search_that_failed_is_refused_by_name_and_the_others_can_be_kept_without_it()
    {
        var searches = new[]
        {
            DailyRuns.Capacity(1000),
            DailyRuns.Capacity(1000) with { Name = "postgres-lossy-capacity", Violations = ["at 200/s 1 operations were lost"] },
            DailyRuns.Capacity(null) with { Name = "postgres-bad-capacity" },
            DailyRuns.Capacity(null) with { Name = "postgres-bound-capacity", Outcome = CapacityOutcome.GeneratorLimited },
        };
        var run = Sound() with { Capacity = searches };

        Assert.Equal(1, await AcceptAsync(run));
        Assert.Contains("postgres-lossy-capacity: capacity.violations is failed (at 200/s 1 operations were lost).", Error.ToString());
        Assert.Contains("postgres-bad-capacity: capacity.outcome is failed (No capacity: ", Error.ToString());
        Assert.Contains("2 refused. Nothing was written.", Error.ToString());

        Assert.Equal(0, await AcceptAsync(run, "--fit-only"));
        var kept = Assert.Single(await new BaselineStore(Store).ReadAsync(Cancel));
        Assert.Equal(2, kept.Scenarios.Count);
        Assert.Equal(
            ["postgres-signal-capacity", "postgres-bound-capacity"],
            kept.Capacity.Where(one => one.Outcome != CapacityOutcome.LadderOnly).Select(one => one.Name));
    }

    [Fact]
    public async Task Dirty_tree_is_refused_unless_it_is_allowed()
    {
        Assert.Equal(1, await AcceptAsync(Sound() with { Dirty = true }));
        Assert.Contains("dirty is true. Commit or stash", Error.ToString());
        Assert.Equal(0, await AcceptAsync(Sound() with { Dirty = true }, "--allow-dirty"));
    }

    [Theory]
    [InlineData()]
    [InlineData("--fit-only")]
    public async Task Run_that_was_interrupted_is_refused_although_all_of_its_scenarios_passed(params string[] options)
    {
        Assert.Equal(1, await AcceptAsync(Sound() with { Partial = "interrupted" }, options));
        Assert.Contains("partial is 'interrupted'. Measure again, and let the run come to its end.", Error.ToString());
        Assert.False(Directory.Exists(Store));
    }

    [Fact]
    public async Task Scenario_that_was_interrupted_is_refused()
    {
        var run = Sound();
        var partial = run.Scenarios[1] with { Partial = "interrupted after 2.0 s", Verdict = new(VerdictOutcome.Inconclusive, []) };

        Assert.Equal(1, await AcceptAsync(run with { Scenarios = [run.Scenarios[0], partial] }));
        Assert.Contains("postgres-b: partial is 'interrupted after 2.0 s'.", Error.ToString());
    }

    [Fact]
    public async Task What_is_not_known_of_the_run_is_refused_and_everything_is_reported_at_once()
    {
        var run = Sound();
        var code = await AcceptAsync(run with
        {
            RunId = "../outside",
            Commit = null,
            Dirty = null,
            Environment = run.Environment with { Fingerprint = null, Unoptimised = ["Slow.Engine"] },
            Scenarios = [],
        });

        Assert.Equal(1, code);
        Assert.All(
            ["runId is '../outside'", "commit is not recorded", "dirty is not recorded", "environment.fingerprint is not recorded",
                "environment.unoptimised is Slow.Engine. Build with -c Release", "scenarios is empty", "6 refused"],
            part => Assert.Contains(part, Error.ToString()));
    }

    [Fact]
    public async Task Published_table_of_another_system_is_no_baseline_to_gate_on()
    {
        var published = HouseStyle.Repository.FullPath("fixtures/baselines/seed/oracle-aq-2026-03-17.json");

        Assert.Equal(1, await RunAsync("baseline", "accept", published, "--to", Store));
        Assert.Contains("environment.unoptimised is not recorded", Error.ToString());
        Assert.False(Directory.Exists(Store));
    }

    [Theory]
    [InlineData("kept/here", "amd-epyc-2c-24g", "kept/here")]
    [InlineData(null, "amd-epyc-2c-24g", "fixtures/baselines/amd-epyc-2c-24g")]
    [InlineData("", "amd-epyc-2c-24g", "fixtures/baselines/amd-epyc-2c-24g")]
    public void Directory_is_the_setting_or_that_of_the_machine_class_in_the_repository(
        string? setting, string machineClass, string expected)
    {
        var inside = HouseStyle.Repository.FullPath("tests/UnitTests");

        Assert.EndsWith(expected, BaselineStore.For(setting, inside, machineClass).DirectoryPath.Replace('\\', '/'));
    }

    [Theory]
    [InlineData(null, "not recorded")]
    [InlineData("../elsewhere", "'../elsewhere', which is no folder name")]
    public void Machine_class_that_names_no_folder_is_refused(string? machineClass, string reported) =>
        Assert.Contains(reported, Assert.Throws<FormatException>(() => BaselineStore.For(null, ".", machineClass)).Message);

    private string Store => PathOf("kept");

    private static RunResult Sound()
    {
        var quiet = new[] { "a", "b" }.Select(name => Runs.Scenario(name: name))
            .Select(scenario => scenario with { Validity = scenario.Validity! with { Environment = [] } });
        var run = Runs.Of([.. quiet]) with { Dirty = false, NotExercised = [] };
        return RunSelection.Of(run with { Environment = run.Environment with { Unoptimised = [] } }, ["*"]);
    }

    private static ScenarioResult Flawed(ScenarioResult scenario, string flaw) => flaw switch
    {
        "failed" => scenario with { Verdict = new(VerdictOutcome.Failed, ["p95 is 9 ms; the limit is 5 ms"]) },
        "inconclusive" => scenario with { Verdict = new(VerdictOutcome.Inconclusive, []) },
        "bound" => scenario with
        {
            Generator = new() { Health = GeneratorState.Bound, Evidence = ["The process used 97 % of each core; the limit is 80 %."] },
        },
        "health unknown" => scenario with { Generator = null },
        "not valid" => scenario with
        {
            Validity = scenario.Validity! with { Checks = [CheckResult.AtMost(
                "backlog", default, 3, 0, $"{3} rows are left; 0 are allowed")] },
        },
        "not quiet" => scenario with
        {
            Validity = scenario.Validity! with { Environment = [CheckResult.AtMost(
                "steal", default, 0.04, 0.02, $"4.0 % of the time; the limit is 2 %")] },
        },
        "not steady" => scenario with
        {
            Validity = scenario.Validity! with
            {
                WarmUp = new()
                {
                    Method = "MSER-5",
                    Series = "latency", Completions = 2000, CutCompletions = 1000, Steady = false, SettledMeanMs = 1, MeanMs = 2,
                },
            },
        },
        "validity unknown" => scenario with { Validity = null },
        "no ledger" => scenario with { Ledger = null },
        "injected" => scenario with { Injected = "delay:+10%" },
        "no content" => scenario with { DefinitionHash = null },
        "no samples" => scenario with { Latency = new() { N = 0 } },
        _ => throw new ArgumentOutOfRangeException(nameof(flaw), flaw, "No such flaw."),
    };

    private async Task<int> AcceptAsync(RunResult run, params string[] options)
    {
        var file = PathOf("run.json");
        await File.WriteAllTextAsync(file, ResultJson.Write(run), Cancel);
        return await RunAsync(["baseline", "accept", file, "--to", Store, .. options]);
    }
}
