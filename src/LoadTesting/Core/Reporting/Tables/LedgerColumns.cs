using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Which counts of the ledger a table shows: the main ones, and any that is not zero somewhere.</summary>
internal sealed record LedgerColumns(IReadOnlyList<string> Shown, IReadOnlyList<string> Hidden)
{
    private static readonly string[] Always = ["requested", "started", "completed", "failed", "lost", "duplicate"];

    public static LedgerColumns Of(IEnumerable<LedgerResult> ledgers)
    {
        var used = ledgers.SelectMany(ledger => ledger.Counts()).GroupBy(count => count.Key)
            .ToLookup(count => Always.Contains(count.Key) || count.Any(entry => entry.Value != 0), count => count.Key);
        return new LedgerColumns([.. used[true]], [.. used[false]]);
    }
}
