using System.Diagnostics;
using Npgsql;

namespace IntegrationTests.Shared.Backends.Collectors;

/// <summary>
/// Waits until the sessions of a database have reported what they did. A session reports when it becomes idle, but at most once a second
/// (PGSTAT_MIN_INTERVAL in pgstat.c; half a second before version 15); what it did within that second stays in its own memory until it is
/// next idle, or for ten seconds (PGSTAT_IDLE_INTERVAL). Reading earlier would miss the end of every short load.
/// </summary>
/// <remarks>
/// A session that is idle again a second or more after it was known to be idle has reported everything up to the earlier moment: either it
/// reported in between, or at the later one. An idle client does not become idle again, unless its driver asks: with Npgsql's
/// <c>Keepalive=1</c> it sends a Sync after a second, which is no transaction and is counted nowhere. Sessions without it are waited for
/// eleven seconds. Two sessions that report in the same microsecond may leave one report for the next second (the server does not wait for
/// the lock); that is not told, and can shift a session's counts to the next window.
/// </remarks>
internal static class SessionQuiet
{
    private static readonly TimeSpan ReportInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan IdleReport = TimeSpan.FromSeconds(10.5);
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(40);

    private const string Sql = """
        SELECT pid, state, state_change, clock_timestamp(), query = '<insufficient privilege>'
        FROM pg_stat_activity
        WHERE datname = $1 AND pid <> pg_backend_pid() AND (backend_type = 'client backend' OR query = '<insufficient privilege>')
        """;

    private sealed record Session(int Id, string? State, DateTime? Since, DateTime Now, bool IsHidden)
    {
        public bool IsIdle => State == "idle" && Since is not null;
    }

    /// <summary>Waits, for at most 15 seconds.</summary>
    /// <returns>Null when everything up to the call was reported, else why that is not sure.</returns>
    public static async Task<string?> WaitAsync(NpgsqlConnection connection, string database, CollectorCost cost, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        var known = (await ReadAsync(connection, database, cost, cancellationToken)).ToDictionary(session => session.Id);
        var began = known.Values.Select(session => (DateTime?)session.Now).FirstOrDefault();
        if (began is null)
        {
            return null; // A session reports when it ends.
        }

        var reportsWhenIdle = connection.PostgreSqlVersion.Major >= 15;
        using var timer = new PeriodicTimer(Poll);
        while (true)
        {
            var open = (await ReadAsync(connection, database, cost, cancellationToken))
                .Where(session => !HasReported(session, known.GetValueOrDefault(session.Id), began.Value, reportsWhenIdle))
                .ToList();
            if (open.Count == 0)
            {
                return null;
            }

            if (Stopwatch.GetElapsedTime(start) > Deadline)
            {
                return $"{open.Count} sessions of '{database}' had not reported after {Deadline.TotalSeconds:0} s (first: state {open[0].State ?? "not visible"}); "
                    + "let them end, or connect them with Keepalive=1";
            }

            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    /// <summary>Waits until no session is left whose end would be counted later, for at most 15 seconds.</summary>
    public static async Task WaitForEndAsync(NpgsqlConnection connection, int session, CollectorCost cost, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(5));
        var sql = $"SELECT 1 FROM pg_stat_activity WHERE pid = {session}";
        while ((await cost.ReadAsync(connection, sql, r => r.GetInt32(0), cancellationToken)).Count > 0)
        {
            if (Stopwatch.GetElapsedTime(start) > Deadline)
            {
                throw new TimeoutException($"Session {session} was closed, and the server still lists it after {Deadline.TotalSeconds:0} s.");
            }

            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    private static bool HasReported(Session now, Session? before, DateTime began, bool reportsWhenIdle)
    {
        if (now.IsHidden)
        {
            return reportsWhenIdle && now.Now - began >= IdleReport;
        }

        var from = before is { IsIdle: true } ? before.Since!.Value : began;
        return now.IsIdle && (now.Since - from >= ReportInterval || (reportsWhenIdle && now.Now - now.Since >= IdleReport));
    }

    private static Task<List<Session>> ReadAsync(NpgsqlConnection connection, string database, CollectorCost cost, CancellationToken cancellationToken) =>
        cost.ReadAsync(
            connection,
            Sql,
            r => new Session(
                r.GetInt32(0),
                r.IsDBNull(1) ? null : r.GetString(1),
                r.IsDBNull(2) ? null : r.GetDateTime(2),
                r.GetDateTime(3),
                !r.IsDBNull(4) && r.GetBoolean(4)),
            cancellationToken,
            database);
}
