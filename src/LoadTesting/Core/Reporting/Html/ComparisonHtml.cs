using LoadTesting.Core.Analysis;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>A comparison as one page in the style of the run's report: no script, no resource from elsewhere.</summary>
public static class ComparisonHtml
{
    /// <summary>The page as text.</summary>
    public static string Render(Comparison comparison)
    {
        ArgumentNullException.ThrowIfNull(comparison);
        var title = ComparisonWords.Title(comparison);
        var html = new HtmlWriter().OpenPage(title);
        var tables = ComparisonTables.Of(comparison);
        html.Open("header").Element("h1", title).Open("ul", ("class", "headlines"));
        foreach (var statement in ComparisonWords.Statements(comparison))
        {
            html.Element("li", statement);
        }

        html.Close("ul").Close("header").Contents(tables.Select(table => (Id(table), table.Title)));
        foreach (var table in tables)
        {
            html.OpenSection(Id(table), table.Title);
            TableHtml.Write(html, table);
            html.CloseSection();
        }

        return html.ClosePage().ToString();
    }

    private static string Id(ComparisonTable table) => table.Title.ToLowerInvariant().Replace(' ', '-');
}
