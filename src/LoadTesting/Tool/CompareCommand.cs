using LoadTesting.Core.Reporting.Html;
using LoadTesting.Core.Reporting.Markdown;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Tool;

/// <summary><c>wfperf compare</c>: runs side by side.</summary>
internal static class CompareCommand
{
    public static Command Create(ToolConsole console)
    {
        var runs = new Argument<string[]>("run")
        {
            Description =
                "A run.json, the file of one scenario, a stored baseline, a run's directory, or a results directory " +
                "(its latest run). The others are compared with the first. One run is enough if it has several "
                    + "profiles.",
            Arity = ArgumentArity.OneOrMore,
        };
        var profiles = new Option<string[]>("--profile")
        {
            Description = "Take only this profile; may be given several times.",
            HelpName = "name",
        };
        var markdown = new Option<string?>(
            "--markdown") { Description = "Also write the comparison as Markdown.", HelpName = "file" };
        var verbose = new Option<bool>(
            "--verbose") { Description = "Print the figures of every row, also of those that have not changed." };
        var html = new Option<string?>(
            "--html") { Description = "Also write the comparison as one HTML page.", HelpName = "file" };
        var command = new Command(
            "compare",
            "Sets runs side by side, profile by profile: what is slower or faster, what differs, "
                + "and with --verbose every figure.");
        command.Add(runs);
        command.Add(profiles);
        command.Add(markdown);
        command.Add(html);
        command.Add(verbose);
        command.SetAction((parsed, cancellationToken) => RunAsync(
            console, parsed.GetRequiredValue(runs), parsed.GetValue(profiles) ?? [], parsed.GetValue(markdown),
            parsed.GetValue(html),
            parsed.GetValue(verbose), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        ToolConsole console, string[] runs, string[] profiles, string? markdown, string? html, bool isVerbose,
        CancellationToken cancellationToken)
    {
        var sources = new List<ComparisonSource>();
        foreach (var run in runs)
        {
            sources.Add(await ComparisonSource.LoadAsync(run, cancellationToken).ConfigureAwait(false));
        }

        var comparison = Comparison.Of(sources, profiles);
        var inputs = runs.Select(ComparisonSource.FileOf).ToList();
        var document = ReportDocument.Of(comparison);
        await OutputFile.WriteAsync(markdown, () => MarkdownDocument.Render(document), inputs, cancellationToken)
            .ConfigureAwait(false);
        await OutputFile.WriteAsync(html, () => HtmlDocument.Render(document), inputs, cancellationToken)
            .ConfigureAwait(false);
        // The verdict first: what follows is why.
        TableOutput.Write(console, [.. document.Statements, ""]);
        TableOutput.Write(console, isVerbose ? document.Tables : ComparisonTables.Short(comparison));
        if (!isVerbose)
        {
            await console.Out.WriteLineAsync("The figures of every row: --verbose.").ConfigureAwait(false);
        }

        await OutputFile.ReportAsync(console, markdown, html).ConfigureAwait(false);

        return ExitCode.Success;
    }
}
