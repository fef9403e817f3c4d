namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The counts that a table of ledgers shows: the main ones, and any that is not zero somewhere.</summary>
internal sealed record LedgerColumns(IReadOnlyList<string> Shown, IReadOnlyList<string> Hidden)
{
    private static readonly string[] Always = ["requested", "started", "completed", "failed", "lost", "duplicate"];

    public IEnumerable<ReportColumn> Columns => Shown.Select(name => new ReportColumn(name));

    public static LedgerColumns Of(IEnumerable<LedgerResult> ledgers)
    {
        var used = ledgers.SelectMany(ledger => ledger.Counts()).GroupBy(count => count.Key)
            .ToLookup(count => Always.Contains(count.Key) || count.Any(entry => entry.Value != 0), count => count.Key);
        return new LedgerColumns([.. used[true]], [.. used[false]]);
    }

    public static string Account(LedgerResult ledger) => ledger.Balanced ? "balanced" : "NOT BALANCED";

    /// <summary>A cell for each of <see cref="Columns"/>.</summary>
    public IEnumerable<string> Cells(LedgerResult ledger)
    {
        var counts = ledger.Counts().ToDictionary();
        return Shown.Select(name => Figures.Count(counts[name]));
    }
}
