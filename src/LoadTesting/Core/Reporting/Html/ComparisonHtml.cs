namespace LoadTesting.Core.Reporting.Html;

/// <summary>A comparison as one page in the style of the run's report: no script, no resource from elsewhere.</summary>
public static class ComparisonHtml
{
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

internal static class TableHtml
{
    public static void Write(HtmlWriter html, ComparisonTable table)
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
            _ = column.IsNumeric ? html.Number(cell) : hasFigures ? html.Element("td", cell, ("class", "line")) : html.Cell(cell);
        }

        html.Close("tr");
    }
}
