using LoadTesting.Core.Analysis.Gating;
using UnitTests.LoadTesting.Analysis.Gating;

namespace UnitTests.LoadTesting.Tool;

public sealed class GateCommandTests : ToolTests
{
    private int _saved;

    [Fact]
    public async Task Failed_gate_prints_what_failed_and_the_report()
    {
        var baseline = await SaveAsync("before/run.json", Sides.Scenario(concurrency: 1, commits: 2));
        var candidate = await SaveAsync("after/run.json", Sides.Scenario(concurrency: 1, commits: 3));
        await File.WriteAllTextAsync(PathOf("after/report.html"), "", Cancel);

        Assert.Equal(
            1, await RunAsync(
                "gate", baseline, candidate, "--json", PathOf("gate.json"), "--markdown", PathOf("gate.md")));

        Assert.Contains(
            "Regressed postgres-signal-roundtrip-throughput-parallel-xl, commits: measured 3, limit 2.04, baseline 2 "
                + "per operation; n 2,000.", Out.ToString());
        Assert.Contains($"Report: {PathOf("after/report.html")}", Out.ToString());
        Assert.StartsWith($"Regressed, gated 1 of 1 scenario: {candidate} against {baseline}.", Out.ToString());
        Assert.StartsWith("# Gate: Regressed, gated 1 of 1 scenario", await TextAsync("gate.md"));
        Assert.Equal(GateVerdict.Regressed, (await GateJson.ReadFileAsync(PathOf("gate.json"), Cancel)).Verdict);
    }

    [Fact]
    public async Task Gate_without_a_baseline_names_the_command_that_makes_one()
    {
        var candidate = await SaveAsync("after/run.json", Sides.Scenario());

        Assert.Equal(2, await RunAsync("gate", candidate));

        Assert.Contains(
            $"holds no baseline yet: make one of a run of the base with 'wfperf baseline accept {candidate}'.",
            Error.ToString());
    }

    [Fact]
    public async Task Runs_with_nothing_in_common_end_with_three()
    {
        var run = await SaveAsync("a/run.json", Sides.Scenario());
        var other = await SaveAsync("b/run.json", Sides.Scenario("another-xl"));

        Assert.Equal(0, await RunAsync("gate", await SaveAsync("c/run.json", Sides.Scenario()), run));
        Assert.Equal(3, await RunAsync("gate", run, other));
        Assert.Contains("no scenario in common", Out.ToString());
        Assert.Equal(2, await RunAsync("gate", run, run));
        Assert.Contains("is the candidate itself", Error.ToString());
    }

    [Fact]
    public async Task Ungated_metrics_have_one_line_for_each_reason()
    {
        var baseline = await SaveAsync(
            "before/run.json", Sides.Scenario(), Bare("bare-a-smoke"), Bare("bare-b-smoke"));
        var candidate = await SaveAsync("after/run.json", Sides.Scenario(), Bare("bare-a-smoke"), Bare("bare-b-smoke"));

        Assert.Equal(3, await RunAsync("gate", baseline, candidate, "--json", PathOf("gate.json")));

        var lines = Out.ToString().Split('\n', StringSplitOptions.TrimEntries);
        Assert.Equal($"Inconclusive (unjudged), gated 1 of 3 scenarios: {candidate} against {baseline}.", lines[0]);
        Assert.Contains(
            "2 of 3 scenarios cannot be gated, more than half. Measure at full size, or by pairs.", lines);
        Assert.Single(lines,
            line => line == "Not gated in 2 scenarios: throughput, p50, p95, p99. Times are gated only at full size "
                + "(-xl).");
        Assert.DoesNotContain(lines, line => line.Contains("NotGated", StringComparison.Ordinal));
        AssertHolds(await TextAsync("gate.json"), "\"cause\": \"unjudged\"", "\"gated\": 1,", "\"scenarioCount\": 3,");

        Out.GetStringBuilder().Clear();
        Assert.Equal(3, await RunAsync("gate", baseline, candidate, "--verbose"));
        lines = Out.ToString().Split('\n', StringSplitOptions.TrimEntries);
        Assert.StartsWith("Inconclusive (unjudged), gated 1 of 3 scenarios", lines[0], StringComparison.Ordinal);
        Assert.Contains("postgres-bare-a-smoke: NotGated", lines);
        Assert.DoesNotContain(lines, line => line.StartsWith("Not gated in", StringComparison.Ordinal));

        static ScenarioResult Bare(string name) => Sides.Scenario(name) with { Backend = null };
    }

    [Fact]
    public async Task Copied_or_misordered_pairs_are_refused()
    {
        SkipWithoutShell();
        var run = await SaveAsync("run.json", Sides.Scenario());
        var same = $"mkdir -p \"$WORKFLOW_PERF_RESULTS/latest\" && cp '{run}' "
            + "\"$WORKFLOW_PERF_RESULTS/latest/run.json\"";

        Assert.Equal(
            2, await RunAsync(
                "gate", "--pairs", PathOf("copies"), "--base", CopyOf(run), "--candidate", same, "--count", "2"));
        Assert.Contains("stands in pairs 1 and 2. A pair needs two measurements", Error.ToString());

        string[] recorded =
            ["gate", "--pairs", PathOf("pairs"), "--base", CopyOf(run), "--candidate", CopyOf(run), "--count", "8"];
        Assert.Equal(0, await RunAsync([.. recorded, "--seed", "3"]));
        var recording = await TextAsync("pairs/recording.json");
        await File.WriteAllTextAsync(
            PathOf("pairs/recording.json"), recording.Replace("\"seed\": 3", "\"seed\": 4", StringComparison.Ordinal),
            Cancel);
        Assert.Equal(2, await RunAsync("gate", "--pairs", PathOf("pairs")));
        Assert.Contains("were not run in the order that seed 4 of recording.json gives", Error.ToString());
    }

    [Fact]
    public async Task Directory_of_stored_baselines_is_taken_whole()
    {
        await SaveAsync("stored/1.json", Sides.Scenario());
        await SaveAsync("stored/2.json", Sides.Scenario());

        var run = await SaveAsync("run.json", Sides.Scenario());
        Assert.Equal(0, await RunAsync("gate", PathOf("stored"), run, "--json", PathOf("reasons.json")));
        Assert.Contains("2 stored runs of 1 day", Out.ToString() + await TextAsync("reasons.json"));
    }

    [Fact]
    public async Task Pairs_are_recorded_in_turns_and_gated()
    {
        SkipWithoutShell();
        var copy = CopyOf(await SaveAsync("run.json", Sides.Scenario()));

        var code = await RunAsync(
            "gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", copy, "--count", "8", "--seed", "3");

        Assert.Equal((0, ""), (code, Error.ToString()));
        Assert.Equal(16, Directory.EnumerateFiles(PathOf("pairs"), "run.json", SearchOption.AllDirectories).Count());
        Assert.All(new[] { "gate.json", "gate.md", "recording.json" },
            file => Assert.True(File.Exists(PathOf("pairs/" + file))));
        var order = PairOrder.CandidateFirst(3).Take(8)
            .SelectMany(first => first ? new[] { "candidate", "base" } : ["base", "candidate"]);
        Assert.Equal(order, Out.ToString().Split('\n')
            .Where(line => line.StartsWith("Pair ", StringComparison.Ordinal)
                && line.Contains(" of 8, ", StringComparison.Ordinal))
            .Select(line => line.Split(' ')[4].TrimEnd(':')));

        Assert.Equal(0, await RunAsync("gate", "--pairs", PathOf("pairs")));
        Assert.Equal(2, await RunAsync("gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", copy));
        Assert.Contains("already holds pairs", Error.ToString());
    }

    [Fact]
    public async Task Fewer_than_eight_pairs_are_inconclusive()
    {
        SkipWithoutShell();
        var copy = CopyOf(await SaveAsync("run.json", Sides.Scenario()));

        Assert.Equal(
            3, await RunAsync("gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", copy, "--count", "2"));
        Assert.Contains("2 of 2 pairs have two results without failures, and 8 are needed", Out.ToString());
        Assert.Contains("\"cause\": \"noise\"", await TextAsync("pairs/gate.json"));
    }

    [Fact]
    public async Task Interrupted_recording_continues_by_the_same_command()
    {
        SkipWithoutShell();
        var copy = CopyOf(await SaveAsync("run.json", Sides.Scenario()));
        var slow = $"{copy} && if [ $(ls -d '{PathOf("pairs")}'/pair-* | wc -l) -eq 2 ] && [ ! -f "
            + $"'{PathOf("go")}' ]; then sleep 60; fi";
        string[] command = ["gate", "--pairs", PathOf("pairs"), "--base", slow, "--candidate", copy, "--count", "8"];
        using var interrupt = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);

        var recording = RunAsync(interrupt.Token, command);
        await Eventually.HoldsAsync(
            () => recording.IsCompleted || new PairDirectory(PathOf("pairs")).Pairs().Count >= 2, "the second pair");
        Assert.False(recording.IsCompleted, $"{Out}{Error}");

        await interrupt.CancelAsync();
        Assert.Equal(130, await recording);
        Assert.Equal(
            $"wfperf: Interrupted. Complete pairs: 1. The same command with --pairs {PathOf("pairs")} continues.",
            Error.ToString().Trim());

        var first = File.GetLastWriteTimeUtc(PathOf("pairs/pair-01/base/latest/run.json"));
        await File.WriteAllTextAsync(PathOf("go"), "", TestContext.Current.CancellationToken);
        Assert.Equal(0, await RunAsync(command));
        Assert.Equal(8, new PairDirectory(PathOf("pairs")).Pairs().Count);
        Assert.Equal(first, File.GetLastWriteTimeUtc(PathOf("pairs/pair-01/base/latest/run.json")));

        Assert.Equal(2, await RunAsync([.. command[..^1], "9"]));
        Assert.Contains("already holds pairs", Error.ToString());
    }

    [Fact]
    public async Task Checkout_that_is_not_built_is_named_with_the_way_to_build_it()
    {
        Directory.CreateDirectory(PathOf("base"));

        Assert.Equal(
            2, await RunAsync(
                "gate", "--pairs", PathOf("pairs"), "--base", PathOf("base"), "--candidate", PathOf("base")));
        Assert.Contains($"{PathOf("base")}: is not built. dotnet build {PathOf("base/tests/PerformanceTests")}",
            Error.ToString());
        foreach (var file in new[] { "PerformanceTests.dll", "Workflow.Engine.dll" })
        {
            Directory.CreateDirectory(PathOf("base/tests/PerformanceTests/bin/Debug/net10.0"));
            await File.WriteAllTextAsync(PathOf("base/tests/PerformanceTests/bin/Debug/net10.0/" + file), "", Cancel);
        }

        Directory.CreateDirectory(PathOf("base/src/Workflow/Engine/Lanes"));
        await File.WriteAllTextAsync(PathOf("base/src/Workflow/Engine/Engine.csproj"), "", Cancel);
        await File.WriteAllTextAsync(PathOf("base/src/Workflow/Engine/Lanes/Lane.cs"), "", Cancel);
        File.SetLastWriteTimeUtc(
            PathOf("base/tests/PerformanceTests/bin/Debug/net10.0/Workflow.Engine.dll"), DateTime.UnixEpoch);
        Assert.Equal(
            2, await RunAsync(
                "gate", "--pairs", PathOf("pairs"), "--base", PathOf("base"), "--candidate", PathOf("base")));
        Assert.Contains("Lanes/Lane.cs has changed since. dotnet build", Error.ToString().Replace('\\', '/'));
        Assert.Equal(
            2, await RunAsync("gate", "--base", PathOf("base"), "--candidate", PathOf("base"), "--window", "0.1"));
        Assert.Contains("--window is 0.1; it is 1 to 10 seconds", Error.ToString());
    }

    [Fact]
    public async Task Sequential_recording_ends_at_the_first_clear_look()
    {
        SkipWithoutShell();
        var copy = CopyOf(await SaveAsync("run.json", Sides.Scenario()));

        Assert.Equal(
            0, await RunAsync(
                "gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", copy, "--max-pairs", "40"));
        Assert.Equal(10, new PairDirectory(PathOf("pairs")).Pairs().Count);
        Assert.Contains("Pair 10 of at most 40, ", Out.ToString());

        Assert.Equal(0, await RunAsync("gate", "--pairs", PathOf("pairs")));
        var again = await GateJson.ReadFileAsync(PathOf("pairs/gate.json"), TestContext.Current.CancellationToken);
        Assert.Equal([10, 15, 20, 30, 40], again.Looks);
    }

    [Theory]
    [InlineData("false")]
    [InlineData("true")]
    [InlineData("kill -9 $$")]
    public async Task Candidate_without_a_result_has_regressed(string candidate)
    {
        SkipWithoutShell();
        var copy = CopyOf(await SaveAsync("run.json", Sides.Scenario()));

        Assert.Equal(1, await RunAsync("gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", candidate));
        Assert.Contains("The candidate left no result in 3 of 3 pairs, the base in 0", Out.ToString());
        Assert.Contains("\"verdict\": \"regressed\"", await TextAsync("pairs/gate.json"));
    }

    [Fact]
    public async Task Failed_candidate_with_passed_results_has_regressed()
    {
        SkipWithoutShell();
        var copy = CopyOf(await SaveAsync("run.json", Sides.Scenario()));

        Assert.Equal(1, await RunAsync(
            "gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", copy + " && exit 1", "--count", "8"));
        Assert.Contains("failedCommands: measured 8, limit 0", Out.ToString());
    }

    [Theory]
    [InlineData("exit 1")]
    [InlineData(null)]
    public async Task Base_without_a_result_is_inconclusive(string? candidate)
    {
        SkipWithoutShell();
        candidate ??= CopyOf(await SaveAsync("run.json", Sides.Scenario()));

        Assert.Equal(
            3, await RunAsync("gate", "--pairs", PathOf("pairs"), "--base", "false", "--candidate", candidate));
        Assert.Contains("\"cause\": \"missingBase\"", await TextAsync("pairs/gate.json"));
    }

    [Fact]
    public async Task Third_failure_of_a_side_ends_the_recording()
    {
        SkipWithoutShell();
        var copy = CopyOf(await SaveAsync("run.json", Sides.Scenario()));

        var code = await RunAsync(
            "gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", "echo no such test >&2; exit 7",
            "--count", "10");

        Assert.Equal(1, code);
        Assert.Equal(3, new PairDirectory(PathOf("pairs")).Pairs().Count);
        Assert.Contains("Pair 1, candidate: 'echo no such test >&2; exit 7' ended with code 7. Output: no such test",
            Out.ToString());
    }

    [Fact]
    public async Task Side_that_takes_too_long_is_ended_and_named()
    {
        SkipWithoutShell();
        var copy = CopyOf(await SaveAsync("run.json", Sides.Scenario()));

        Assert.Equal(1, await RunAsync(
            "gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", "sleep 60", "--count", "1", "--timeout",
            "3"));
        Assert.Contains("'sleep 60' did not end within 00:00:03; raise --timeout", Out.ToString());
    }

    [Fact]
    public async Task Side_that_ends_well_without_a_result_is_reported_so()
    {
        SkipWithoutShell();

        Assert.Equal(
            3, await RunAsync(
                "gate", "--pairs", PathOf("pairs"), "--base", "true", "--candidate", "true", "--count", "1"));
        Assert.Contains("'true' ended with 0 and left no result in WORKFLOW_PERF_RESULTS", Out.ToString());
    }

    [Fact]
    public async Task Vetoed_pairs_are_replaced_up_to_half_as_many()
    {
        SkipWithoutShell();
        var bound = Sides.Scenario() with { Verdict = new(VerdictOutcome.Inconclusive, ["a ticker was late"]) };
        var copy = CopyOf(await SaveAsync("run.json", bound));

        Assert.Equal(
            3, await RunAsync("gate", "--pairs", PathOf("pairs"), "--base", copy, "--candidate", copy, "--count", "4"));
        Assert.Equal(6, new PairDirectory(PathOf("pairs")).Pairs().Count);
        Assert.Contains("inconclusive: a ticker was late", Out.ToString());
    }

    [Theory]
    [InlineData("not both", "--pairs", "d", "run.json")]
    [InlineData("not both")]
    [InlineData("--base and --candidate go together", "--pairs", "d", "--base", "true")]
    [InlineData(
        "--count is 0; it is 1 to 500", "--pairs", "d", "--base", "true", "--candidate", "true", "--count", "0")]
    [InlineData("--max-pairs is 9; it is 10 to 200", "--pairs", "d", "--base", "true", "--candidate", "true",
        "--max-pairs", "9")]
    [InlineData("holds no pair-01/base", "--pairs", "missing")]
    public async Task Unusable_arguments_end_with_code_two_and_name_the_wayOut(
        string message, params string[] arguments)
    {
        Assert.Equal(2, await RunAsync(["gate", .. arguments]));
        Assert.Contains(message, Error.ToString());
    }

    private static void SkipWithoutShell() =>
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The commands of this test are for a POSIX shell.");

    /// <summary>Leaves the run as one that was made now.</summary>
    private static string CopyOf(string run) =>
        "mkdir -p \"$WORKFLOW_PERF_RESULTS/latest\" && sed \"s/\\\"createdUtc\\\": .*/\\\"createdUtc\\\": \\\"$(date "
        + $"-u +%FT%T.%NZ)\\\",/\" '{run}' > \"$WORKFLOW_PERF_RESULTS/latest/run.json\"";

    private async Task<string> SaveAsync(string name, params ScenarioResult[] scenarios)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(name))!);
        var run = Sides.Run(scenarios).Run;
        await File.WriteAllTextAsync(
            PathOf(name), ResultJson.Write(run with { CreatedUtc = run.CreatedUtc.AddMinutes(_saved++) }), Cancel);
        return PathOf(name);
    }
}
