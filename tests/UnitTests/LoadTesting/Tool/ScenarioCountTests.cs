namespace UnitTests.LoadTesting.Tool;

/// <summary>Every view says the same number of scenarios.</summary>
public sealed class ScenarioCountTests : ToolTests
{
    [Fact]
    public async Task Every_view_says_the_same_number_of_scenarios()
    {
        var results = PathOf("results");

        Assert.Equal(
            2, await RunAsync(
                "run", typeof(CountedCatalogue).Assembly.Location, "--scenario", "*", "--profile", "postgres",
            "--results", results));
        var terminal = Out.ToString();
        Out.GetStringBuilder().Clear();
        Assert.Equal(0, await RunAsync("watch", results));
        var watched = Out.ToString();
        var directory = Assert.Single(Directory.GetDirectories(results), path => Path.GetFileName(path) != "latest");
        var run = await ResultJson.ReadFileAsync(Path.Combine(directory, "run.json"), Cancel);
        Out.GetStringBuilder().Clear();
        Assert.Equal((0, ""), (await AcceptAsync(run), Error.ToString()));

        // Four scenarios, of which one was measured twice, a search, a ladder, and one that was skipped.
        Assert.Equal((5, 2), (run.Scenarios.Count, run.Capacity.Count));
        const string counted = "5 scenarios: 5 passed, 0 failed, 0 inconclusive";
        Assert.Contains($"\n{counted}; 1 not available. Report: ", terminal, StringComparison.Ordinal);
        Assert.Contains($"The run has ended; {counted}.", watched, StringComparison.Ordinal);
        Assert.Contains($"- {counted}.\n", await File.ReadAllTextAsync(Path.Combine(directory, "summary.md"), Cancel),
            StringComparison.Ordinal);
        var page = await File.ReadAllTextAsync(Path.Combine(directory, "report.html"), Cancel);
        Assert.Contains("All 5 scenarios passed", page, StringComparison.Ordinal);
        Assert.Contains("(5 scenarios)", Out.ToString(), StringComparison.Ordinal);
        string[] all = [terminal, watched, page, Out.ToString(), await TextAsync(Path.Combine(results, "index.html"))];
        Assert.All(all, text => Assert.All(
            Regex.Matches(text, @"(\d+) scenarios").Select(match => match.Groups[1].Value),
            number => Assert.Equal("5", number)));
    }

    [Fact]
    public void Repetition_counts_by_its_newest_result_unless_one_failed()
    {
        static ScenarioResult Of(string name, VerdictOutcome outcome) =>
            Runs.Scenario(name: name) with { Verdict = new(outcome, []) };
        var run = Runs.Of(
            Of("again", VerdictOutcome.Inconclusive), Of("again", VerdictOutcome.Passed),
            Of("bad", VerdictOutcome.Failed),
            Of("bad", VerdictOutcome.Passed), Of("once", VerdictOutcome.Inconclusive));

        Assert.Equal("3 scenarios: 1 passed, 1 failed, 1 inconclusive", $"{ScenarioCounts.Of(run)}");
        Assert.Equal("1 scenario", ScenarioCounts.Of(Runs.Of(Runs.Scenario())).Number());
    }

    private async Task<int> AcceptAsync(RunResult run)
    {
        var fit = SampleRun.Create().Environment;
        await File.WriteAllTextAsync(
            PathOf("run.json"),
            ResultJson.Write(run with
            {
                RunId = "20260317T101500Z-8d4f1c2", Commit = "8d4f1c2", Dirty = false,
                Environment = fit with { Unoptimised = [], Backend = null },
            }), Cancel);
        return await RunAsync("baseline", "accept", PathOf("run.json"), "--to", PathOf("kept"));
    }
}
