using LoadTesting.Core.Analysis;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>A comparison in Markdown: for a pull request or a job summary.</summary>
public static class ComparisonMarkdown
{
    /// <summary>The document, with a final newline.</summary>
    public static string Render(Comparison comparison)
    {
        ArgumentNullException.ThrowIfNull(comparison);
        return MarkdownTable.Document(ComparisonWords.Title(comparison), ComparisonWords.Statements(comparison), ComparisonTables.Of(comparison));
    }
}
