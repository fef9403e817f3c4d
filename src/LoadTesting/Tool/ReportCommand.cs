using System.CommandLine;
using LoadTesting.Core.Baselines;
using LoadTesting.Core.Reporting.Html;

namespace LoadTesting.Tool;

/// <summary><c>wfperf report</c>: the page of a run, once more.</summary>
internal static class ReportCommand
{
    public static Command Create(ToolConsole console)
    {
        var run = new Argument<string>("run")
        {
            Description = "A run.json, the file of one scenario, a stored baseline, a run's directory, or a results directory.",
        };
        var output = new Option<string?>("--output", "-o")
        {
            Description = "The page to write; beside the result by default: report.html for a run.json, else the result's name with .html.",
            HelpName = "file",
        };
        var command = new Command("report", "Renders the HTML report of a run again, e.g. with a newer version of this tool.");
        command.Add(run);
        command.Add(output);
        command.SetAction((parsed, cancellationToken) =>
            RunAsync(console, parsed.GetRequiredValue(run), parsed.GetValue(output), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, string run, string? output, CancellationToken cancellationToken)
    {
        var file = ComparisonSource.FileOf(run);
        var result = await ResultJson.ReadFileAsync(file, cancellationToken).ConfigureAwait(false);
        var page = output ?? Beside(file);
        await OutputFile.WriteAsync(page, HtmlReport.Render(result), [file], cancellationToken).ConfigureAwait(false);
        await console.Out.WriteLineAsync($"Written: {page}").ConfigureAwait(false);
        return ExitCode.Success;
    }

    private static string Beside(string file) =>
        Path.GetFileName(file) == "run.json"
            ? Path.Combine(Path.GetDirectoryName(file)!, "report.html")
            : Path.ChangeExtension(file, ".html");
}
