using PerformanceTesting.Backends.Mongo;
using LoadTesting.Core.Baselines;
using LoadTesting.Core.Findings;

namespace PerformanceTesting.Backends.Collectors;

/// <summary>What a server counted between two moments.</summary>
/// <param name="Raw">Differences under the server's own names, e.g. <c>pg_stat_database.xact_commit</c>, and the collector's own cost.</param>
/// <param name="Waits">Shares of what active sessions waited for, the greatest first; empty with a note when there are too few samples.</param>
/// <param name="Statements">Statements, the costliest first; null with a note when the server does not tell.</param>
/// <param name="Notes">Why a counter is missing, and what to keep in mind when reading the others.</param>
public sealed record CollectedCounters(
    IReadOnlyDictionary<string, double> Raw, IReadOnlyList<WaitResult> Waits, IReadOnlyList<StatementCost>? Statements, IReadOnlyList<string> Notes)
{
    private const string RedisCommands = "redis.stats.total_commands_processed";

    /// <summary>What sessions waited for, the longest first; empty is idle, null with a note when they could not be seen.</summary>
    public IReadOnlyList<WaitTime>? Sessions { get; init; }

    /// <summary>Moments in which sessions were looked at.</summary>
    public int Samples { get; init; }

    /// <summary>These together with what another server of the same run counted.</summary>
    public CollectedCounters With((IReadOnlyDictionary<string, double> Raw, IReadOnlyList<string> Notes) other) => this with
    {
        Raw = Raw.Concat(other.Raw).ToDictionary(StringComparer.Ordinal),
        Notes = [.. Notes, .. other.Notes],
    };

    /// <summary>What there is of a server that cannot tell: why.</summary>
    public static CollectedCounters Nothing(params string[] notes) => new(new Dictionary<string, double>(), [], Statements: null, notes);

    /// <summary>Times of waiting as shares of their sum, the greatest first; what took no time is left out.</summary>
    public static IReadOnlyList<WaitResult> SharesOf(IEnumerable<(string Name, double Time)> times)
    {
        var waited = times.Where(wait => wait.Time > 0).OrderByDescending(wait => wait.Time).ToList();
        var total = waited.Sum(wait => wait.Time);
        return [.. waited.Select(wait => new WaitResult(wait.Name, wait.Time / total))];
    }

    /// <summary>The counters as a result holds them.</summary>
    /// <param name="completed">Operations that completed in between; with none of them nothing can be told per operation.</param>
    public BackendCounters ToResult(long completed)
    {
        double? Per(params string[] names) =>
            completed > 0 && names.All(Raw.ContainsKey) ? names.Sum(name => Raw[name]) / completed : null;

        var perOperation = new Dictionary<string, double?>
        {
            ["commits"] = Per("pg_stat_database.xact_commit") ?? Per("v$sysstat.user commits") ?? Per(MongoCounters.TransactionsCommitted),
            ["rollbacks"] = Per("pg_stat_database.xact_rollback") ?? Per("v$sysstat.user rollbacks") ?? Per(MongoCounters.TransactionsAborted),
            ["writeTransactions"] = Per("server.transaction_ids"),
            ["rows"] = Per("pg_stat_database.tup_inserted", "pg_stat_database.tup_updated", "pg_stat_database.tup_deleted")
                ?? Per([.. MongoCounters.Documents]),
            ["logicalReads"] = Per("pg_stat_database.blks_hit", "pg_stat_database.blks_read") ?? Per("pg_stat_statements.shared_blks")
                ?? Per("v$sysstat.session logical reads") ?? Per(MongoCounters.PagesRequested),
            ["walBytes"] = Per("server.wal_bytes") ?? Per("v$sysstat.redo size") ?? Per(MongoCounters.LogBytes),
            ["walSyncs"] = Per("pg_stat_wal.wal_sync") ?? Per("v$sysstat.redo synch writes") ?? Per(MongoCounters.LogSyncs),
            ["statements"] = Per("pg_stat_statements.calls") ?? Per("v$sysstat.execute count") ?? Per([.. MongoCounters.Statements]),
        };
        if (Raw.ContainsKey(RedisCommands))
        {
            perOperation["redisCommands"] = Per(RedisCommands);
        }

        return new BackendCounters
        {
            Raw = Raw,
            PerOperation = perOperation,
            Waits = Waits,
            Notes = completed > 0 ? Notes : [.. Notes, "Null per operation: none completed."],
        };
    }
}
