using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Html;
using LoadTesting.Core.Reporting.Markdown;

namespace LoadTesting.Tool;

/// <summary><c>wfperf report</c>: the page of a run, once more; or a document of it to keep.</summary>
internal static class ReportCommand
{
    private const string DefaultTemplate = "fixtures/baselines/document.md";

    public static Command Create(ToolConsole console)
    {
        var run = new Argument<string>("run")
        {
            Description =
                "A run.json, the file of one scenario, a stored baseline, a run's directory, or a results directory.",
        };
        var output = new Option<string?>("--output", "-o")
        {
            Description =
                "The page to write; beside the result by default: report.html for a run.json, "
                    + "else the result's name with .html.",
            HelpName = "file",
        };
        var document = new Option<string?>("--baseline-document")
        {
            Description = "Write the run as a Markdown document to keep, instead of the page.", HelpName = "file",
        };
        var template = new Option<string>("--template")
        {
            Description = "The document's text and the places of its tables.", HelpName = "file",
            DefaultValueFactory = _ => DefaultTemplate,
        };
        var beside = new Option<string[]>("--beside")
        {
            Description =
                "A run whose profiles stand first in the document, e.g. a published baseline; "
                    + "may be given several times.",
            HelpName = "run",
        };
        var baseline = new Option<string?>("--baseline")
        {
            Description = $"Directory of accepted baselines to set the run beside; {BaselineStore.Variable}, or that "
                + "of the run's machine class in this repository, by default.",
            HelpName = "directory",
        };
        var index = new Option<bool>("--index")
        {
            Description = $"Write index.html of a results directory instead: its newest {RunIndex.MaxRuns} runs with "
                + "verdicts, reports, trends and change points. A test run writes it when it ends.",
        };
        var command = new Command(
            "report",
            "Renders the HTML report of a run again, e.g. with a newer version of this tool, "
                + "or a baseline document of it.");
        foreach (var option in new Option[] { output, baseline, index, document, template, beside })
        {
            command.Add(option);
        }

        command.Add(run);
        command.SetAction((parsed, cancellationToken) => parsed.GetValue(index)
            ? IndexAsync(console, parsed.GetRequiredValue(run), cancellationToken)
            : parsed.GetValue(document) is { } file
            ? DocumentAsync(console, parsed.GetRequiredValue(run), parsed.GetValue(beside)
                ?? [], parsed.GetRequiredValue(template), file, cancellationToken)
            : RunAsync(console, parsed.GetRequiredValue(run), parsed.GetValue(output), parsed.GetValue(baseline),
                cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        ToolConsole console, string run, string? output, string? baseline, CancellationToken cancellationToken)
    {
        var file = ComparisonSource.FileOf(run);
        var result = await ResultJson.ReadFileAsync(file, cancellationToken).ConfigureAwait(false);
        var page = output ?? PageBeside(file);
        if (baseline is not null && !Directory.Exists(baseline))
        {
            throw new FileNotFoundException($"{baseline}: does not exist. Name a directory of baselines.", baseline);
        }

        var baselines = await BaselineStore.ReadAsync(
            baseline ?? Environment.GetEnvironmentVariable(BaselineStore.Variable), Environment.CurrentDirectory,
            result.Environment.MachineClass, cancellationToken).ConfigureAwait(false);
        await OutputFile.WriteAsync(page, HtmlReport.Render(result, baselines), [file], cancellationToken)
            .ConfigureAwait(false);
        await OutputFile.ReportAsync(console, page).ConfigureAwait(false);
        return ExitCode.Success;
    }

    private static async Task<int> IndexAsync(ToolConsole console, string results, CancellationToken cancellationToken)
    {
        if (!Directory.Exists(results))
        {
            throw new FileNotFoundException($"{results}: does not exist. --index takes the directory that holds the "
                + $"runs.", results);
        }

        await OutputFile.ReportAsync(
            console, await RunIndex.WriteAsync(results, cancellationToken).ConfigureAwait(false))
            .ConfigureAwait(false);
        return ExitCode.Success;
    }

    private static async Task<int> DocumentAsync(
        ToolConsole console, string run, string[] beside, string template, string document,
        CancellationToken cancellationToken)
    {
        var files = beside.Append(run).Select(ComparisonSource.FileOf).ToList();
        var runs = new List<RunResult>();
        foreach (var file in files)
        {
            runs.Add(await ResultJson.ReadFileAsync(file, cancellationToken).ConfigureAwait(false));
        }

        string text;
        try
        {
            text = BaselineDocument.Render(
                await File.ReadAllTextAsync(template, cancellationToken).ConfigureAwait(false), runs);
        }
        catch (FormatException exception)
        {
            throw new FormatException($"{template}: {exception.Message}", exception);
        }

        await OutputFile.WriteAsync(document, text, files.Append(template), cancellationToken).ConfigureAwait(false);
        await OutputFile.ReportAsync(console, document).ConfigureAwait(false);
        return ExitCode.Success;
    }

    private static string PageBeside(string file) =>
        Path.GetFileName(file) == "run.json"
            ? Path.Combine(Path.GetDirectoryName(file)!, "report.html")
            : Path.ChangeExtension(file, ".html");
}
