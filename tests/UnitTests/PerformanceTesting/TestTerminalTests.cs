using PerformanceTesting.TestLogger;
using PerformanceTesting.XunitV3;

namespace UnitTests.PerformanceTesting;

/// <summary>What a person sees of a test run: lines while it runs, and a summary at its end.</summary>
public sealed class TestTerminalTests
{
    private readonly string _pipe = $"wfperf-{Guid.NewGuid():N}";

    [Fact]
    public async Task Lines_of_a_test_process_are_printed_as_they_are()
    {
        using var end = new CancellationTokenSource();
        using var output = new StringWriter { NewLine = "\n" };
        var copying = LinePipe.CopyAsync(_pipe, output, end.Token);
        using (var logger = TestTerminal.Open(_pipe))
        {
            TestTerminal.Write(logger, "PASSED memory-burst – 24 of 24");
            await Eventually.HoldsAsync(() => output.GetStringBuilder().Length > 0, "the first line to be printed");
            await end.CancelAsync();
            TestTerminal.Write(logger, "first\nsecond");
        }

        await copying;
        Assert.Equal("PASSED memory-burst – 24 of 24\nfirst\nsecond\n", output.ToString());
    }

    [Fact]
    public async Task Lines_of_the_next_test_process_are_printed()
    {
        using var end = new CancellationTokenSource();
        using var output = new StringWriter { NewLine = "\n" };
        var copying = LinePipe.CopyAsync(_pipe, output, end.Token);
        foreach (var line in new[] { "one", "two" })
        {
            using var logger = TestTerminal.Open(_pipe);
            TestTerminal.Write(logger, line);
        }

        await Eventually.HoldsAsync(
            () => output.GetStringBuilder().ToString() == "one\ntwo\n", "both lines to be printed");
        await end.CancelAsync();
        await copying;
    }

    [Fact]
    public async Task Logger_ends_without_a_test_process()
    {
        using var end = new CancellationTokenSource();
        using var output = new StringWriter();
        var copying = LinePipe.CopyAsync(_pipe, output, end.Token);

        await end.CancelAsync();

        await copying;
        Assert.Equal("", output.ToString());
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    public void Without_the_logger_there_is_no_pipe(string? pipe) => Assert.Null(TestTerminal.Open(pipe));

    [Fact]
    public void Step_of_a_workflow_gets_the_summary_of_the_run()
    {
        using var folder = new StepFolder();
        File.WriteAllText(folder.Summary, "before\n");

        TestRunSummary.AddToStep(SampleRun.Create(), "lines", folder.Variable);

        var text = File.ReadAllText(folder.Summary);
        Assert.StartsWith("before\n# Performance run ", text, StringComparison.Ordinal);
        Assert.Contains("| mongo | no MongoDB server |", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Summary_too_large_for_a_step_is_its_lines()
    {
        using var folder = new StepFolder();
        var run = SampleRun.Create();
        var reasons = Enumerable.Range(0, 20_000)
            .Select(at => $"operation {at:00000} was lost on its way to the client");

        TestRunSummary.AddToStep(
            run with
            {
                Scenarios =
                [
                    .. run.Scenarios.Select(scenario => scenario with
                    {
                        Verdict = new VerdictResult(VerdictOutcome.Failed, [.. reasons]),
                    }),
                ],
            },
            "FAILED 3 scenarios", folder.Variable);

        Assert.Equal("```\nFAILED 3 scenarios\n```\n\n", File.ReadAllText(folder.Summary));
    }

    [Fact]
    public void Outside_of_a_workflow_no_summary_is_added()
    {
        using var folder = new StepFolder();

        TestRunSummary.AddToStep(
            SampleRun.Create(), "lines", name => name == "GITHUB_ACTIONS" ? null : folder.Variable(name));

        Assert.False(File.Exists(folder.Summary));
    }

    private sealed class StepFolder : IDisposable
    {
        private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("step-");

        public string Summary => Path.Combine(_folder.FullName, "summary.md");

        public string? Variable(string name) => name switch
        {
            "GITHUB_ACTIONS" => "true",
            "GITHUB_STEP_SUMMARY" => Summary,
            _ => null,
        };

        public void Dispose() => _folder.Delete(recursive: true);
    }
}
