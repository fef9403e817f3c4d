namespace LoadTesting.Core.Analysis.Gating;

/// <summary>How much a counter may grow: beyond both limits is a regression.</summary>
/// <param name="Class">1 exact, 2 near, 3 loose.</param>
/// <param name="Share">Growth as a share of the baseline.</param>
/// <param name="PerOperation">Growth per operation, in the counter's own unit.</param>
internal sealed record CounterRule(int Class, double Share, double PerOperation)
{
    /// <summary>Operations from which on two single runs with shared commits may be compared at all.</summary>
    public const long OperationsForShared = 1000;

    /// <summary>A few of anything in all, such as the store's own housekeeping, are no regression.</summary>
    private const double FewInAll = 3;

    /// <summary>What is allowed to two single runs in which operations share commits; pairs average that out and need no such allowance.</summary>
    public static CounterRule Shared { get; } = new(1, 0.25, 0.25);

    private static readonly CounterRule Exact = new(1, 0.02, 0.02);
    private static readonly CounterRule Near = new(2, 0.08, 0.02);
    private static readonly CounterRule Loose = new(3, 0.15, 0.02);

    private static readonly Dictionary<string, CounterRule> ByName = new()
    {
        ["commits"] = Exact,
        ["rollbacks"] = Exact,
        ["writeTransactions"] = Exact,
        ["rows"] = Exact,
        ["statements"] = Exact,
        ["messagesPublished"] = Exact,
        ["retries"] = Exact,
        ["rowsRead"] = Near,
        ["roundTrips"] = Near,
        ["walBytes"] = Near,
        ["walRecords"] = Near,
        ["redoBytes"] = Near,
        ["logicalReads"] = Loose,
        ["allocatedBytes"] = Loose,
    };

    // What is done once a commit, whatever the number of operations in it.
    private static readonly HashSet<string> OncePerCommit = ["commits", "writeTransactions", "statements", "roundTrips", "logicalReads"];

    /// <summary>The rule for a counter; null for one that depends on timing alone, such as forced writes, or that is not known.</summary>
    public static CounterRule? For(string counter) => ByName.GetValueOrDefault(counter);

    /// <summary>Whether a counter is done once a commit, so that it depends on how many operations share one: timing decides that.</summary>
    public static bool IsOncePerCommit(string counter) => OncePerCommit.Contains(counter);

    /// <summary>What a baseline value may grow to in so many operations.</summary>
    public double LimitOver(double baseline, long operations) =>
        baseline + Math.Max(Math.Max(Share * baseline, PerOperation), FewInAll / Math.Max(1, operations));
}
