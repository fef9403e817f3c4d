using LoadTesting.Core.Reporting;

namespace PerformanceTesting.XunitV3;

/// <summary>A verdict as xUnit knows it: a pass, a failure, or a skip with the evidence.</summary>
public static class TestVerdict
{
    /// <summary>Environment variable: with <c>1</c> an inconclusive run fails instead of being skipped.</summary>
    public const string StrictName = "WORKFLOW_PERF_STRICT";

    /// <summary>Begins the reason of every test that was skipped as inconclusive.</summary>
    public const string InconclusivePrefix = "Inconclusive: ";

    /// <summary>
    /// Shows a result as a line, keeps its summary as the output of its test, and fails or skips the test where it
    /// must.
    /// </summary>
    /// <param name="report">The result.</param>
    /// <param name="lateFailures">Failures of earlier runs that were found after their verdicts.</param>
    public static ScenarioResult Report(RunReport report, IReadOnlyList<string> lateFailures)
    {
        ArgumentNullException.ThrowIfNull(report);
        TestTerminal.Write(TerminalSummary.Line(report.Result));
        TestContext.Current.TestOutputHelper?.WriteLine(report.Summary);
        TestInterruption.FailIfInterrupted(report.Summary);
        RequireNoLateFailures(lateFailures);
        if (report.Result.Verdict.Outcome == VerdictOutcome.Failed)
        {
            Assert.Fail(report.Summary);
        }

        RequireConclusion(report.Result.Verdict.Outcome != VerdictOutcome.Inconclusive, report.Summary);
        return report.Result;
    }

    /// <summary>Skips an inconclusive run with its evidence, or fails it if runs are strict.</summary>
    public static void RequireConclusion(bool isConclusive, string summary)
    {
        if (!isConclusive)
        {
            summary = InconclusivePrefix + summary;
            Assert.SkipUnless(Environment.GetEnvironmentVariable(StrictName) is "1", summary);
            Assert.Fail(summary);
        }
    }

    /// <summary>Reports failures of earlier runs, whose tests are over.</summary>
    public static void RequireNoLateFailures(IReadOnlyList<string> lateFailures)
    {
        ArgumentNullException.ThrowIfNull(lateFailures);
        Assert.True(
            lateFailures.Count == 0,
            "Of a run before this one: " + string.Join(Environment.NewLine, lateFailures));
    }
}
