using LoadTesting.Core.Baselines;
using LoadTesting.Core.Reporting.Html;

namespace LoadTesting.Core.Reporting;

/// <summary>A comparison as one page in the style of the run's report: no script, no resource from elsewhere.</summary>
public static class ComparisonHtml
{
    /// <summary>The page as text.</summary>
    public static string Render(Comparison comparison)
    {
        ArgumentNullException.ThrowIfNull(comparison);
        var title = ComparisonWords.Title(comparison);
        var html = new HtmlWriter();
        html.Trusted("<!doctype html>\n").Open("html", ("lang", "en")).Open("head");
        html.Trusted("<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.Trusted("<meta name=\"color-scheme\" content=\"light dark\">\n");
        html.Element("title", title).Open("style").Trusted(HtmlStyle.Sheet).Close("style").Close("head").Open("body").Open("main");
        var tables = ComparisonTables.Of(comparison);
        Header(html, comparison, title, tables);
        foreach (var table in tables)
        {
            html.OpenSection(Id(table), table.Title);
            Write(html, table);
            html.CloseSection();
        }

        html.Close("main").Close("body").Close("html");
        return html.ToString();
    }

    private static void Header(HtmlWriter html, Comparison comparison, string title, IReadOnlyList<ComparisonTable> tables)
    {
        html.Open("header").Element("h1", title).Open("ul", ("class", "headlines"));
        foreach (var statement in ComparisonWords.Statements(comparison))
        {
            html.Element("li", statement);
        }

        html.Close("ul").Close("header").Open("nav", ("aria-label", "Sections"));
        foreach (var table in tables)
        {
            html.Element("a", table.Title, ("href", "#" + Id(table))).Text("\n");
        }

        html.Close("nav");
    }

    private static string Id(ComparisonTable table) => table.Title.ToLowerInvariant().Replace(' ', '-');

    private static void Write(HtmlWriter html, ComparisonTable table)
    {
        if (table.Note is not null)
        {
            html.Paragraph(table.Note, "quiet");
        }

        html.OpenTable(table.Title, [.. table.Columns.Select(column => new Column(column.Name, column.Unit, column.IsNumeric))]);
        foreach (var row in table.Rows)
        {
            Write(html, table, row);
        }

        html.CloseTable();
    }

    private static void Write(HtmlWriter html, ComparisonTable table, ComparisonTableRow row)
    {
        if (row.Kind == ComparisonRowKind.Group)
        {
            html.GroupRow(table.Columns.Count, row.Cells[0]);
            return;
        }

        if (row.Kind == ComparisonRowKind.Detail)
        {
            html.DetailRow(table.Columns.Count, row.Cells[0], "note");
            return;
        }

        // Beside figures words do not break, so that a row stays one line high on a telephone.
        var hasFigures = table.Columns.Any(column => column.IsNumeric);
        html.Open("tr").RowHeader(row.Cells[0]);
        foreach (var (column, cell) in table.Columns.Zip(row.Cells).Skip(1))
        {
            _ = column.IsNumeric ? html.Number(cell) : html.Cell(hasFigures ? cell.Replace(' ', '\u00a0') : cell);
        }

        html.Close("tr");
    }
}
