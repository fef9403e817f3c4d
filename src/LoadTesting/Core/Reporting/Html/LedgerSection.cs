using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>Where every operation ended, and each rule that is broken.</summary>
internal static class LedgerSection
{
    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "Every operation is accounted for to the unit: requested = dropped + refused + unknown + started; " +
            "started = completed + failed + cancelled + deadLettered + waiting + suspended + "
                + "stuck; lost and duplicate are 0.");
        var kept = run.Scenarios.Where(scenario => scenario.Ledger is not null).ToList();
        var columns = LedgerColumns.Of(kept.Select(scenario => scenario.Ledger!));
        ReportColumn[] table = [Text("Scenario"), Text("Account"), .. columns.Columns];
        html.OpenTable("Operations by where they ended", table);
        foreach (var scenario in kept)
        {
            Row(html, scenario.Name, scenario.Ledger!, columns, table.Length);
        }

        html.CloseTable();
        if (columns.Hidden.Count > 0)
        {
            html.Paragraph($"Zero throughout and left out: {string.Join(", ", columns.Hidden)}.", "quiet");
        }

        foreach (var scenario in run.Scenarios.Where(scenario => scenario.Ledger is null))
        {
            html.Paragraph($"{scenario.Name} kept no ledger.", "quiet");
        }
    }

    private static void Row(HtmlWriter html, string name, LedgerResult ledger, LedgerColumns columns, int width)
    {
        html.Open("tr").RowHeader(name).Open("td");
        _ = ledger.Balanced ? html.Badge("balanced", "good") : html.Badge("not balanced", "bad");
        html.Close("td").Numbers(columns.Cells(ledger)).Close("tr");
        foreach (var violation in ledger.Violations())
        {
            html.DetailRow(width, violation, "bad");
        }
    }
}
