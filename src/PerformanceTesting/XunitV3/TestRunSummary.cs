using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Markdown;

namespace PerformanceTesting.XunitV3;

/// <summary>Shows a run when its tests have ended.</summary>
public static class TestRunSummary
{
    /// <summary>GitHub refuses a step's summary of more than 1 MiB.</summary>
    private const int LargestStepSummaryBytes = 1_000_000;

    /// <summary>
    /// Shows the run in ten lines and, in a GitHub workflow, adds it to the summary of the step.
    /// </summary>
    /// <param name="writer">Has written the run. Null if nothing was measured: nothing is shown.</param>
    public static void Report(ResultWriter? writer)
    {
        if (writer is null)
        {
            return;
        }

        var lines = TerminalSummary.Of(writer.Run, writer.ReportPath);
        TestTerminal.Write(Environment.NewLine + lines);
        AddToStep(writer.Run, lines, Environment.GetEnvironmentVariable);
    }

    /// <param name="run">The run.</param>
    /// <param name="lines">The run in a few lines, used if all of it is too large.</param>
    /// <param name="environment">Reads a variable of the environment.</param>
    internal static void AddToStep(RunResult run, string lines, Func<string, string?> environment)
    {
        if (environment("GITHUB_ACTIONS") != "true" || environment("GITHUB_STEP_SUMMARY") is not { Length: > 0 } file)
        {
            return;
        }

        var summary = SummaryMarkdown.Render(run);
        if (Encoding.UTF8.GetByteCount(summary) > LargestStepSummaryBytes)
        {
            summary = $"```\n{lines}\n```\n";
        }

        File.AppendAllText(file, summary + "\n");
    }
}
