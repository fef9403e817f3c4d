using LoadTesting.Core.Findings;

namespace IntegrationTests.Shared.Backends.Collectors;

/// <summary>Which resource a wait of PostgreSQL is for. Names are <c>type:event</c> as in pg_stat_activity, and CPU for a session that waits for nothing.</summary>
internal static class PostgresWaits
{
    public const string Cpu = "CPU";

    /// <summary>The resource; null for processor time.</summary>
    public static string? ResourceOf(string wait) => wait switch
    {
        // A leader of a group commit that waits out commit_delay shows as CPU; processor time is read from the system instead.
        Cpu => null,
        "LWLock:WALWrite" or "LWLock:WALInsert" or "IPC:SyncRep" => ResourceNames.WalFlush,
        _ when wait.StartsWith("IO:WAL", StringComparison.Ordinal) => ResourceNames.WalFlush,
        _ when wait.StartsWith("IO:", StringComparison.Ordinal) => ResourceNames.Disk,
        _ when wait.StartsWith("Lock:", StringComparison.Ordinal) || wait.StartsWith("LWLock:", StringComparison.Ordinal)
            || wait.StartsWith("BufferPin:", StringComparison.Ordinal) => ResourceNames.Locks,
        _ => ResourceNames.OtherWaits,
    };
}
