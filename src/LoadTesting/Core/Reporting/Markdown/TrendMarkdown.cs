using LoadTesting.Core.Analysis.Trends;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>A history in Markdown: for a job summary.</summary>
public static class TrendMarkdown
{
    /// <summary>The document, with a final newline.</summary>
    public static string Render(RunHistory history) =>
        MarkdownTable.Document(TrendWords.Title(history), TrendWords.Statements(history), TrendTables.Of(history));
}
