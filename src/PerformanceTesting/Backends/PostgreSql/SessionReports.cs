using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// Waits until the sessions of a database have reported what they did. A session reports after a transaction, but at
/// most once a second (PGSTAT_MIN_INTERVAL in pgstat.c); what it did within that second stays in its own memory until
/// its next transaction, its end, or ten seconds of idleness (PGSTAT_IDLE_INTERVAL, since version 15). No other session
/// can make it report: an empty Sync does not, because the server goes by the end of the last transaction. Reading
/// earlier would miss the end of every short load, or all of it.
/// </summary>
internal static class SessionReports
{
    private const int FirstVersionThatReportsWhenIdle = 15;
    private static readonly TimeSpan IdleReport = TimeSpan.FromSeconds(10.5);
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(50);

    private sealed record Session(string? State, DateTime? Since, DateTime Now);

    /// <summary>Waits, for at most 20 seconds.</summary>
    /// <returns>Null when everything up to the call was reported, else why that is not sure.</returns>
    public static async Task<string?> WaitAsync(
        NpgsqlConnection connection, string database, CollectorCost cost, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        using var timer = new PeriodicTimer(Poll);
        while (true)
        {
            var waited = Stopwatch.GetElapsedTime(start);
            var sessions = await ReadAsync(connection, database, cost, cancellationToken);
            var open = sessions.Where(session => !HasReported(session, waited)).ToList();
            if (open.Count == 0)
            {
                return null; // A session that has ended has reported.
            }

            if (connection.PostgreSqlVersion.Major < FirstVersionThatReportsWhenIdle)
            {
                return $"{open.Count} sessions of '{database}' are open, and version "
                    + $"{connection.PostgreSqlVersion.Major} lets idle sessions keep what they counted";
            }

            if (waited > Deadline)
            {
                return $"{open.Count} sessions of '{database}' did not stay idle for {IdleReport.TotalSeconds} s "
                    + $"within {Deadline.TotalSeconds:0} s (the first is {open[0].State ?? "not visible"})";
            }

            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    /// <summary>
    /// Waits until the server no longer lists a session that was closed: from then on it has reported.
    /// </summary>
    /// <exception cref="TimeoutException">It is still listed after 20 seconds.</exception>
    public static async Task WaitForEndAsync(
        NpgsqlConnection connection, int session, CollectorCost cost, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(5));
        var listed = PostgresCollector.Sql["find_session"];
        while ((await cost.ReadAsync(connection, listed, r => r.GetInt32(0), cancellationToken, $"{session}")).Count
            > 0)
        {
            if (Stopwatch.GetElapsedTime(start) > Deadline)
            {
                throw new TimeoutException(
                    $"Session {session} was closed, and the server still lists it after {Deadline.TotalSeconds:0} s.");
            }

            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    /// <summary>
    /// A session whose state may not be seen can only be waited for; whether it was idle, its owner has to know.
    /// </summary>
    private static bool HasReported(Session session, TimeSpan waited) =>
        session.Since is null
            ? waited >= IdleReport : session.State == "idle" && session.Now - session.Since >= IdleReport;

    private static Task<List<Session>> ReadAsync(
        NpgsqlConnection connection, string database, CollectorCost cost, CancellationToken cancellationToken) =>
        cost.ReadAsync(
            connection,
            PostgresCollector.Sql["read_sessions"],
            r => new Session(
                r.IsDBNull(0) ? null : r.GetString(0), r.IsDBNull(1) ? null : r.GetDateTime(1), r.GetDateTime(2)),
            cancellationToken,
            database);
}
