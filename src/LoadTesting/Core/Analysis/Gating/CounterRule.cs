namespace LoadTesting.Core.Analysis.Gating;

/// <summary>How much a counter may grow: beyond both limits is a regression.</summary>
/// <param name="Class">1 exact, 2 near, 3 loose.</param>
/// <param name="Share">Growth as a share of the baseline.</param>
/// <param name="PerOperation">Growth per operation, in the counter's own unit.</param>
internal sealed record CounterRule(int Class, double Share, double PerOperation)
{
    /// <summary>Operations from which on two single runs with shared commits may be compared at all.</summary>
    public const long OperationsForShared = 1000;

    /// <summary>
    /// How far single runs in which operations share commits differ, as a share, where too few are stored to tell: of
    /// 32 recorded runs of one build the greatest lies 45 % above the median. Pairs average that out and need no such
    /// allowance.
    /// </summary>
    public const double SharedSpread = 0.5;

    /// <summary>
    /// Two images of pages of PostgreSQL, in bytes: what is changed for the first time after a checkpoint is logged
    /// whole, and where rows come to lie decides on how many pages that is.
    /// </summary>
    private const double PageImages = 2 * 8192;

    /// <summary>Growth by this many in all is housekeeping of the store, not a regression.</summary>
    private const double FewInAll = 3;

    /// <summary>
    /// What single runs may differ by in all because of the store's own housekeeping, in the counter's own unit. It
    /// hides no doubling: <see cref="StoredLimit"/>.
    /// </summary>
    public double HousekeepingInAll { get; private init; }

    private static readonly CounterRule Exact = new(1, 0.02, 0.02);
    private static readonly CounterRule Near = new(2, 0.08, 0.02);
    private static readonly CounterRule Loose = new(3, 0.15, 0.02);
    private static readonly CounterRule ByTiming = new(3, 0.5, 0.02);

    private static readonly Dictionary<string, CounterRule> ByName = new()
    {
        ["commits"] = Exact,
        ["rollbacks"] = Exact,
        ["writeTransactions"] = Exact,
        ["rows"] = Exact,
        ["statements"] = Exact,
        ["messagesPublished"] = Exact,
        ["messagesConfirmed"] = Exact,
        ["messagesDelivered"] = Exact,
        ["retries"] = Exact,
        ["rowsRead"] = Near,
        ["roundTrips"] = Near,
        ["walBytes"] = Near with { HousekeepingInAll = PageImages },
        ["walRecords"] = Near,
        ["redoBytes"] = Near,
        ["logicalReads"] = Loose,
        ["httpRequests"] = ByTiming,
        ["redisCommands"] = ByTiming,
    };

    // What is done once a commit, whatever the number of operations in it.
    private static readonly HashSet<string> OncePerCommit =
        ["commits", "writeTransactions", "statements", "roundTrips", "logicalReads"];

    /// <summary>
    /// The rule for a counter; null for one that depends on timing alone, such as forced writes, or that is not known.
    /// </summary>
    public static CounterRule? For(string counter) => ByName.GetValueOrDefault(counter);

    /// <summary>
    /// Whether a counter is done once a commit, so that it depends on how many operations share one: timing decides
    /// that.
    /// </summary>
    public static bool IsOncePerCommit(string counter) => OncePerCommit.Contains(counter);

    /// <summary>The limit for a counter, given its baseline value and the number of operations.</summary>
    public double LimitOver(double baseline, long operations) =>
        baseline + Math.Max(Math.Max(Share * baseline, PerOperation), FewInAll / Math.Max(1, operations));
}
