using LoadTesting.Core.Analysis;
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
            Description = "A run.json, the file of one scenario, a stored baseline, a run's directory, or a results directory " +
                "(its latest run). The others are held against the first. One run will do when it holds several profiles.",
            Arity = ArgumentArity.OneOrMore,
        };
        var profiles = new Option<string[]>("--profile")
        {
            Description = "Take only this profile; may be given several times.",
            HelpName = "name",
        };
        var markdown = new Option<string?>("--markdown") { Description = "Also write the comparison as Markdown.", HelpName = "file" };
        var html = new Option<string?>("--html") { Description = "Also write the comparison as one HTML page.", HelpName = "file" };
        var command = new Command(
            "compare", "Sets runs side by side: what differs, throughput, latency, phases, ledger, counters per operation.");
        command.Add(runs);
        command.Add(profiles);
        command.Add(markdown);
        command.Add(html);
        command.SetAction((parsed, cancellationToken) => RunAsync(
            console, parsed.GetRequiredValue(runs), parsed.GetValue(profiles) ?? [], parsed.GetValue(markdown), parsed.GetValue(html),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        ToolConsole console, string[] runs, string[] profiles, string? markdown, string? html, CancellationToken cancellationToken)
    {
        var sources = new List<ComparisonSource>();
        foreach (var run in runs)
        {
            sources.Add(await ComparisonSource.LoadAsync(run, cancellationToken).ConfigureAwait(false));
        }

        var comparison = Comparison.Of(sources, profiles);
        var inputs = runs.Select(ComparisonSource.FileOf).ToList();
        if (markdown is not null)
        {
            await OutputFile.WriteAsync(markdown, ComparisonMarkdown.Render(comparison), inputs, cancellationToken).ConfigureAwait(false);
        }

        if (html is not null)
        {
            await OutputFile.WriteAsync(html, ComparisonHtml.Render(comparison), inputs, cancellationToken).ConfigureAwait(false);
        }

        TableOutput.Write(console, ComparisonTables.Of(comparison), ComparisonWords.Statements(comparison));
        foreach (var file in new[] { markdown, html }.OfType<string>())
        {
            await console.Out.WriteLineAsync($"Written: {file}").ConfigureAwait(false);
        }

        return ExitCode.Success;
    }
}
