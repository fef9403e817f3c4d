using LoadTesting.Core.Analysis.Findings;
using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// Which resource a wait is for: <c>type:event</c> as in pg_stat_activity, and CPU for a session that waits for
/// nothing.
/// </summary>
internal static class PostgresWaits
{
    /// <summary>Begins to look at the sessions of a database, on a separate connection.</summary>
    /// <exception cref="NpgsqlException">The server cannot be reached.</exception>
    public static async Task<WaitSampler> SampleAsync(
        string observer, string database, CollectorCost cost, CancellationToken cancellationToken)
    {
        var connection = await PostgresCollector.ConnectAsync(observer, cancellationToken);
        return new WaitSampler(
            async () => await cost.ReadAsync(
                connection,
                PostgresCollector.Sql["sample_waits"],
                r => (r.GetString(0), r.GetInt64(1)),
                CancellationToken.None,
                database), ResourceOf, connection.DisposeAsync, "as a superuser: GRANT pg_read_all_stats TO <role>");
    }

    /// <summary>The resource; null for processor time.</summary>
    public static string? ResourceOf(string wait) => wait switch
    {
        // A leader of a group commit that waits out commit_delay shows as CPU; processor time is read from the system
        // instead.
        WaitSampler.Cpu => null,
        "LWLock:WALWrite" or "LWLock:WALInsert" or "IPC:SyncRep" => ResourceNames.WalFlush,
        _ when wait.StartsWith("IO:WAL", StringComparison.Ordinal) => ResourceNames.WalFlush,
        _ when wait.StartsWith("IO:", StringComparison.Ordinal) => ResourceNames.Disk,
        _ when wait.StartsWith("Lock:", StringComparison.Ordinal)
            || wait.StartsWith("LWLock:", StringComparison.Ordinal)
            || wait.StartsWith("BufferPin:", StringComparison.Ordinal) => ResourceNames.Locks,
        _ => ResourceNames.OtherWaits,
    };
}
