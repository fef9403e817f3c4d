using System.Text;
using LoadTesting.Core.Analysis.Findings;
using LoadTesting.Core.Reporting.Tables;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>Findings in a summary: the sizing note, and a row a scenario.</summary>
internal static class FindingMarkdown
{
    public static void Append(StringBuilder text, RunResult run)
    {
        var examined = FindingWords.Examined(run);
        if (examined.Count == 0)
        {
            return;
        }

        text.Append($"\n## Findings\n\n{FindingWords.Introduction}\n\n");
        foreach (var note in SizingNote.Of(run))
        {
            text.Append($"- Sizing: {SummaryMarkdown.Plain(note)}\n");
        }

        text.Append("\n| scenario | response ms | guilty, share of the response time | exonerated | not examined |\n|---|---:|---|---|---|\n");
        foreach (var scenario in examined)
        {
            var findings = scenario.Findings!;
            var guilty = findings.Ranked.Select(f => $"{f.Rank}. {f.Resource} {Figures.Percent(f.ShareOfResponseTime)}, {FindingWords.Word(f.Confidence)} confidence");
            string[] cells =
            [
                scenario.Name, Figures.Ms(1000 * findings.ResponseSeconds), Listed(guilty, "; "), Named(findings, ResourceState.Exonerated),
                Named(findings, ResourceState.NotExamined),
            ];
            text.Append("| ").AppendJoin(" | ", cells.Select(SummaryMarkdown.Plain)).Append(" |\n");
        }

        text.Append('\n').AppendJoin('\n', FindingWords.Unexamined(examined).Select(reason => $"- {SummaryMarkdown.Plain(reason)}")).Append('\n');
    }

    private static string Named(FindingsResult findings, ResourceState state) =>
        Listed(findings.Resources.Where(resource => resource.State == state).Select(resource => resource.Resource), ", ");

    private static string Listed(IEnumerable<string> words, string separator) => string.Join(separator, words.DefaultIfEmpty("none"));
}
