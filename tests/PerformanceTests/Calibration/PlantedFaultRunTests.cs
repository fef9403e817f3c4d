namespace PerformanceTests.Calibration;

/// <summary>
/// A whole run of a tier with a fault in it, in a process of its own, as a pipeline sees it: terminal, summary, report,
/// JSON and exit code say what was wrong.
/// </summary>
public sealed class PlantedFaultRunTests
{
    private const string Scenario = "memory-signal-roundtrip-latency-serial";

    private static readonly TimeSpan LongestRun = TimeSpan.FromMinutes(2);

    [Theory]
    [InlineData("leak", "seed", "the service took 17 instances for 16 operations")]
    [InlineData("duplicate", "seed",
        "came a second time after the verdict")] // The run of 16 operations has its verdict by then.
    [Trait(TierNames.Trait, TierNames.Extended)]
    public Task Fault_is_reported_everywhere_and_the_exit_code_is_not_zero(
        string injection, string size, string reason) => AssertIsReportedAsync(injection, size, reason);

    [Theory]
    [InlineData("leak", "xl", "the service took 4001 instances for 4000 operations")]
    [InlineData("slower", "xl", "slower all along")]
    [InlineData("freeze", "xl", "stall: nothing completed for 1,")] // 1.4 s, and what a busy machine adds.
    [InlineData("duplicate", "xl",
        "duplicate is 1 and must be 0")] // Half a second late, and within the second that is listened to.
    [Trait(TierNames.Trait, TierNames.Daily)]
    public Task Other_fault_is_reported_everywhere_and_the_exit_code_is_not_zero(
        string injection, string size, string reason) => AssertIsReportedAsync(injection, size, reason);

    private static async Task AssertIsReportedAsync(string injection, string size, string reason)
    {
        using var directory = new TemporaryDirectory();

        var (exitCode, output) = await RunAsync(directory.Path, injection, size);

        TestContext.Current.TestOutputHelper?.WriteLine(output);
        var latest = Path.Combine(directory.Path, "results", "latest");
        var result =
            ResultJson.Read(await File.ReadAllTextAsync(Path.Combine(latest, "run.json"), Cancel)).Scenarios.Single();
        Assert.StartsWith(Scenario, result.Name, StringComparison.Ordinal);
        Assert.Equal(injection, result.Injected);
        Assert.NotEqual(0, exitCode);
        Assert.Contains(result.Verdict.Reasons, said => said.Contains(reason, StringComparison.Ordinal));
        Assert.Contains(reason, output, StringComparison.Ordinal);
        Assert.Contains(
            reason, await File.ReadAllTextAsync(Path.Combine(latest, "summary.md"), Cancel), StringComparison.Ordinal);
        Assert.Contains(
            reason, await File.ReadAllTextAsync(Path.Combine(latest, "report.html"), Cancel), StringComparison.Ordinal);

        // On a machine that others use too, the same evidence may be theirs; the verdict then names it.
        Assert.True(
            result.Verdict.Outcome == VerdictOutcome.Failed
            || (result.Verdict.Outcome == VerdictOutcome.Inconclusive && result.Verdict.Reasons.Any(IsOfTheMachine)),
            string.Join(Environment.NewLine, result.Verdict.Reasons));
    }

    private static bool IsOfTheMachine(string reason) =>
        reason.Contains("the machine may explain it", StringComparison.Ordinal)
        || reason.EndsWith("cause: machine", StringComparison.Ordinal)
        || reason.EndsWith("cause: unknown", StringComparison.Ordinal);

    private static async Task<(int ExitCode, string Output)> RunAsync(string directory, string injection, string size)
    {
        var temporary = Directory.CreateDirectory(Path.Combine(directory, "tmp"));
        var tests = typeof(LatencyTests);
        var start = new ProcessStartInfo("dotnet", ["exec", tests.Assembly.Location, "-class", tests.FullName!])
        {
            WorkingDirectory = Checkout.Root,
            RedirectStandardOutput = true,
            Environment =
            {
                ["TMP"] = temporary.FullName,
                ["WORKFLOW_PERF_INJECT"] = injection,
                ["WORKFLOW_PERF_SIZE"] = size,
                ["WORKFLOW_PERF_STRICT"] = "1",
                ["WORKFLOW_PERF_RESULTS"] = Path.Combine(directory, "results"),
            },
        };
        using var process = RunProcessTests.StartAlone(start, temporary);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        limit.CancelAfter(LongestRun);
        try
        {
            var output = await process.StandardOutput.ReadToEndAsync(limit.Token);
            await process.WaitForExitAsync(limit.Token);
            return (process.ExitCode, output);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }

    private sealed class TemporaryDirectory : IDisposable
    {
        public string Path { get; } = Directory.CreateTempSubdirectory("planted-fault-").FullName;

        public void Dispose() => Directory.Delete(Path, recursive: true);
    }
}
