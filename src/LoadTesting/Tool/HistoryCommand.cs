using LoadTesting.Core.Analysis.Trends;
using LoadTesting.Core.Reporting.Html;
using LoadTesting.Core.Reporting.Markdown;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Tool;

/// <summary><c>wfperf history</c>: from which daily run on a metric has another level.</summary>
internal static class HistoryCommand
{
    public static Command Create(ToolConsole console)
    {
        var paths = new Argument<string[]>("path")
        {
            Description = "Directories of daily runs, or result files; subdirectories are searched.",
            Arity = ArgumentArity.OneOrMore,
        };
        var reference = new Option<string?>("--reference")
        {
            Description =
                "Commit of a pinned build that each daily run also measures: values become ratios to its runs of the "
                    + "same daily run.",
            HelpName = "commit",
        };
        var scenarios = new Option<string[]>("--scenario")
        {
            Description =
                "Take only scenarios of this full name ('*' and '?' stand for characters, a leading '!' takes away); "
                + "may be given several times.",
            HelpName = "pattern",
        };
        var markdown =
            new Option<string?>("--markdown") { Description = "Also write the tables as Markdown.", HelpName = "file" };
        var html = new Option<string?>(
            "--html") { Description = "Also write tables and charts as one HTML page.", HelpName = "file" };
        var failOnNew =
            new Option<bool>("--fail-on-new") { Description = "End with code 1 when a change for the worse, or a "
            + "failure, is new with the newest daily run." };
        var command = new Command(
            "history", "Finds the daily run at which the level of a metric changed, and the commits around it.");
        command.Add(paths);
        foreach (var option in new Option[] { reference, scenarios, markdown, html, failOnNew })
        {
            command.Add(option);
        }

        command.SetAction(async (parsed, cancellationToken) =>
        {
            var files = HistoryFiles.Find(parsed.GetRequiredValue(paths));
            var runs = await HistoryFiles.ReadAsync(files, cancellationToken).ConfigureAwait(false);
            var history = RunHistory.Of(runs, parsed.GetValue(reference), parsed.GetValue(scenarios) ?? []);
            var (tables, page) = (parsed.GetValue(markdown), parsed.GetValue(html));
            var document = ReportDocument.Of(history);
            await OutputFile.WriteAsync(tables, () => MarkdownDocument.Render(document), files, cancellationToken)
                .ConfigureAwait(false);
            await OutputFile.WriteAsync(page, () => TrendHtml.Render(history), files, cancellationToken)
                .ConfigureAwait(false);
            TableOutput.Write(console, document);
            await OutputFile.ReportAsync(console, tables, page).ConfigureAwait(false);

            var isWorse = history.NewFailures.Count > 0
                || history.Series.SelectMany(series => series.Changes)
                    .Any(change => change is { IsNew: true, IsWorse: true });
            return isWorse && parsed.GetValue(failOnNew) ? ExitCode.Findings : ExitCode.Success;
        });
        return command;
    }
}
