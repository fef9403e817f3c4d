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
        Assert.Contains("exists, and baselines are never overwritten", Error.ToString());
        Assert.Equal(before, await File.ReadAllTextAsync(file, Cancel));
    }

    [Fact]
    public async Task Directory_of_another_machine_class_is_refused()
    {
        await AcceptAsync(Sound());
        var other = Sound() with { RunId = "20260318T101500Z-8d4f1c2" };

        Assert.Equal(
            2, await AcceptAsync(
                other with { Environment = other.Environment with { MachineClass = "other-64c-256g", Cores = 64 } }));
        Assert.Contains("holds baselines of machine class 'intel-xeon-2-50ghz-2c-24g', this run is of 'other-64c-256g'",
            Error.ToString());
        Assert.Single(new BaselineStore(Store).Files);
    }

    public static TheoryData<string, string> Wrong => new()
    {
        { "failed", "postgres-b: verdict.outcome is failed (p95 is 9 ms; the limit is 5 ms)." },
        { "partial", "postgres-b: partial is 'interrupted after 2.0 s'." },
        { "injected", "postgres-b: injected is 'delay:+10%'." },
        { "no samples", "postgres-b: latency.n is 0." },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public async Task Scenario_that_is_wrong_is_left_out_by_name(string flaw, string remark)
    {
        var run = Sound();
        run = run with { Scenarios = [run.Scenarios[0], Flawed(run.Scenarios[1], flaw)] };

        Assert.Equal(0, await AcceptAsync(run));
        Assert.Contains("left out: " + remark, Error.ToString());
        Assert.DoesNotContain("--scenario", Error.ToString());
        Assert.Contains("(1 scenario, 1 left out)", Out.ToString());
        Assert.Equal("postgres-a", Assert.Single(Assert.Single(await StoredAsync()).Scenarios).Name);
    }

    public static TheoryData<string, string> Doubtful => new()
    {
        { "inconclusive", "postgres-b: verdict.outcome is inconclusive." },
        { "bound", "postgres-b: generator.health is bound (The process used 97 % of each core; the limit is 80 %.)." },
        { "health unknown", "postgres-b: generator.health is not recorded." },
        { "no ledger", "postgres-b: ledger is not recorded." },
        { "not valid", "postgres-b: validity.checks.backlog is failed (3 rows are left; 0 are allowed)." },
        { "not quiet", "postgres-b: validity.environment.steal is failed (4.0 % of the time; the limit is 2 %)." },
        { "not steady", "postgres-b: validity.warmUp.steady is false." },
        { "no content", "postgres-b: definitionHash is not recorded." },
    };

    [Theory]
    [MemberData(nameof(Doubtful))]
    public async Task First_baseline_is_kept_with_its_warnings_in_it(string flaw, string remark)
    {
        var run = Sound();
        run = run with { Scenarios = [run.Scenarios[0], Flawed(run.Scenarios[1], flaw)] };

        Assert.Equal(0, await AcceptAsync(run));

        Assert.Contains("warning: " + remark, Error.ToString());
        Assert.Contains("(2 scenarios, 1 warning)", Out.ToString());
        var kept = Assert.Single(await StoredAsync());
        Assert.DoesNotContain(kept.Scenarios[0].Notes, IsWarning);
        Assert.StartsWith("Baseline with a warning: " + remark, Assert.Single(kept.Scenarios[1].Notes, IsWarning));
    }

    [Fact]
    public async Task Doubtful_result_does_not_stand_beside_a_sound_one()
    {
        await AcceptAsync(Sound());
        var run = Sound() with { RunId = "20260318T101500Z-8d4f1c2" };

        Assert.Equal(0,
            await AcceptAsync(run with { Scenarios = [run.Scenarios[0], Flawed(run.Scenarios[1], "inconclusive")] }));

        Assert.Contains(
            "left out: postgres-b: verdict.outcome is inconclusive. A sound result of it is among", Error.ToString());
        Assert.Equal([2, 1], (await StoredAsync()).Select(kept => kept.Scenarios.Count));
    }

    [Fact]
    public async Task Run_of_which_nothing_is_left_is_refused_with_the_reasons()
    {
        var run = Sound();

        Assert.Equal(
            1, await AcceptAsync(
                run with { Scenarios = [.. run.Scenarios.Select(scenario => Flawed(scenario, "failed"))] }));

        Assert.Contains("left out: postgres-a: verdict.outcome is failed", Error.ToString());
        Assert.Contains("scenarios is empty. Nothing of the run can be kept. Measure again.", Error.ToString());
        Assert.False(Directory.Exists(Store));
    }

    [Fact]
    public async Task Pattern_that_leaves_nothing_is_told_what_there_is()
    {
        Assert.Equal(2, await AcceptAsync(Sound(), "--scenario", "memory-*"));

        Assert.Contains(
            "--scenario memory-* matches none of the run's scenarios: postgres-a, postgres-b.", Error.ToString());
    }

    [Fact]
    public async Task Search_that_failed_is_left_out_by_name()
    {
        var searches = new[]
        {
            DailyRuns.Capacity(1000),
            DailyRuns.Capacity(1000)
                with { Name = "postgres-lossy-capacity", Violations = ["at 200/s 1 operations were lost"] },
            DailyRuns.Capacity(null) with { Name = "postgres-bad-capacity" },
            DailyRuns.Capacity(null)
                with { Name = "postgres-bound-capacity", Outcome = CapacityOutcome.GeneratorLimited },
        };
        var run = Sound() with { Capacity = searches };

        Assert.Equal(0, await AcceptAsync(run));
        Assert.Contains("postgres-lossy-capacity: capacity.violations is failed (at 200/s 1 operations were lost).",
            Error.ToString());
        Assert.Contains("postgres-bad-capacity: capacity.outcome is failed (No capacity: ", Error.ToString());

        var kept = Assert.Single(await new BaselineStore(Store).ReadAsync(Cancel));
        Assert.Equal(2, kept.Scenarios.Count);
        Assert.Equal(
            ["postgres-signal-capacity", "postgres-bound-capacity"],
            kept.Capacity.Where(one => one.Outcome != CapacityOutcome.LadderOnly).Select(one => one.Name));
    }

    [Fact]
    public async Task Build_that_cannot_be_named_is_kept_with_warnings()
    {
        var run = Sound();
        run = run with
        {
            Commit = null, Dirty = true,
            Environment = run.Environment with { Fingerprint = null, Unoptimised = ["Slow.Engine"] },
        };

        Assert.Equal(0, await AcceptAsync(run));

        Assert.All(
            ["commit is not recorded", "dirty is true. Commit before",
                "environment.unoptimised is Slow.Engine. Build with -c Release"],
            part => Assert.Contains(part, Error.ToString()));
        Assert.Equal(3, Assert.Single(await StoredAsync()).Notes.Count(IsWarning));
    }

    [Fact]
    public async Task Interrupted_run_with_passed_scenarios_is_refused()
    {
        Assert.Equal(1, await AcceptAsync(Sound() with { Partial = "interrupted" }));
        Assert.Contains("partial is 'interrupted'. Measure again, and let the run come to its end.", Error.ToString());
        Assert.False(Directory.Exists(Store));
    }

    [Fact]
    public async Task Run_without_a_file_is_refused_with_all_errors()
    {
        var run = Sound();
        var code = await AcceptAsync(run with
        {
            RunId = "../outside", Environment = run.Environment with { MachineClass = null }, Scenarios = [],
        });

        Assert.Equal(1, code);
        Assert.All(
            ["runId is '../outside'", "environment.machineClass is not recorded", "scenarios is empty",
                "Nothing was written."],
            part => Assert.Contains(part, Error.ToString()));
    }

    [Fact]
    public async Task Published_table_is_not_a_baseline_for_the_gate()
    {
        var published = HouseStyle.Repository.FullPath("fixtures/baselines/seed/oracle-aq-2026-03-17.json");

        Assert.Equal(1, await RunAsync("baseline", "accept", published, "--to", Store));
        Assert.Contains(
            "runId is 'oracle-aq-2026-03-17'. A baseline is named yyyyMMddTHHmmssZ-commit.", Error.ToString());
        Assert.False(Directory.Exists(Store));
    }

    [Theory]
    [InlineData("kept/here", "amd-epyc-2c-24g", "kept/here")]
    [InlineData(null, "amd-epyc-2c-24g", "fixtures/baselines/amd-epyc-2c-24g")]
    [InlineData("", "amd-epyc-2c-24g", "fixtures/baselines/amd-epyc-2c-24g")]
    public void Default_directory_is_that_of_the_machine_class(string? setting, string machineClass, string expected)
    {
        var inside = HouseStyle.Repository.FullPath("tests/UnitTests");

        Assert.EndsWith(expected, BaselineStore.For(setting, inside, machineClass).DirectoryPath.Replace('\\', '/'));
    }

    [Theory]
    [InlineData(null, "not recorded")]
    [InlineData("../elsewhere", "'../elsewhere', which is no folder name")]
    public void Machine_class_that_names_no_folder_is_refused(string? machineClass, string reported) =>
        Assert.Contains(
            reported, Assert.Throws<FormatException>(() => BaselineStore.For(null, ".", machineClass)).Message);

    private string Store => PathOf("kept");

    private Task<IReadOnlyList<RunResult>> StoredAsync() => new BaselineStore(Store).ReadAsync(Cancel);

    private static bool IsWarning(string note) =>
        note.StartsWith("Baseline with a warning: ", StringComparison.Ordinal);

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
            Generator = new() { Health = GeneratorState.Bound,
                Evidence = ["The process used 97 % of each core; the limit is 80 %."] },
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
                    Series = "latency", Completions = 2000, CutCompletions = 1000, Steady = false, SettledMeanMs = 1,
                    MeanMs = 2,
                },
            },
        },
        "no ledger" => scenario with { Ledger = null },
        "partial" =>
            scenario with { Partial = "interrupted after 2.0 s", Verdict = new(VerdictOutcome.Inconclusive, []) },
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
