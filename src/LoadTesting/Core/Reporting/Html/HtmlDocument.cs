namespace LoadTesting.Core.Reporting.Html;

/// <summary>A report as one page in the style of the run's report: no script, no resource from elsewhere.</summary>
public static class HtmlDocument
{
    public static string Render(ReportDocument document)
    {
        var html = new HtmlWriter().OpenPage(document.Title);
        Header(html, document);
        html.Contents(document.Tables.Select(Link));
        Sections(html, document.Tables);
        return html.ClosePage().ToString();
    }

    /// <summary>Title and statements.</summary>
    internal static void Header(HtmlWriter html, ReportDocument document)
    {
        html.Open("header").Element("h1", document.Title).Open("ul", ("class", "headlines"));
        foreach (var statement in document.Statements)
        {
            html.Element("li", statement);
        }

        html.Close("ul").Close("header");
    }

    /// <summary>The section of a table, for <see cref="HtmlWriter.Contents"/>.</summary>
    internal static (string Id, string Title) Link(ReportTable table) =>
        (table.Title.ToLowerInvariant().Replace(' ', '-'), table.Title);

    internal static void Sections(HtmlWriter html, IReadOnlyList<ReportTable> tables)
    {
        foreach (var table in tables)
        {
            html.OpenSection(Link(table).Id, table.Title);
            Write(html, table);
            html.CloseSection();
        }
    }

    internal static void Write(HtmlWriter html, ReportTable table)
    {
        if (table.Note is not null)
        {
            html.Paragraph(table.Note, "quiet");
        }

        html.OpenTable(table.Title, [.. table.Columns]);
        foreach (var row in table.Rows)
        {
            Write(html, table, row);
        }

        html.CloseTable();
    }

    private static void Write(HtmlWriter html, ReportTable table, ReportRow row)
    {
        if (row.Kind == ReportRowKind.Group)
        {
            html.GroupRow(table.Columns.Count, row.Cells[0]);
            return;
        }

        if (row.Kind == ReportRowKind.Detail)
        {
            html.DetailRow(table.Columns.Count, row.Cells[0], "note");
            return;
        }

        // Beside figures words do not break, so that a row stays one line high on a telephone.
        var hasFigures = table.Columns.Any(column => column.IsNumeric);
        html.Open("tr").RowHeader(row.Cells[0]);
        foreach (var (column, cell) in table.Columns.Zip(row.Cells).Skip(1))
        {
            _ = column.IsNumeric
                ? html.Number(cell) : hasFigures ? html.Element("td", cell, ("class", "line")) : html.Cell(cell);
        }

        html.Close("tr");
    }
}
