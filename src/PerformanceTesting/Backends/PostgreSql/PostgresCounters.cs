using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// The server's cumulative counters at one moment. Whole rows are read as JSON, because the columns differ between versions: what a
/// version does not have is then absent, not an error.
/// </summary>
/// <param name="Values">View and column to value, e.g. <c>pg_stat_database.xact_commit</c>.</param>
/// <param name="Markers">View to what changes when its counters begin anew.</param>
/// <param name="Missing">View to the reason why it could not be read.</param>
internal sealed record PostgresCounters(
    IReadOnlyDictionary<string, double> Values, IReadOnlyDictionary<string, string> Markers, IReadOnlyDictionary<string, string> Missing)
{
    public const string DatabaseView = "pg_stat_database";
    public const string WalView = "pg_stat_wal";
    public const string ServerView = "server";
    private static readonly string[] Gauges = ["datid", "numbackends"];

    private static readonly (string View, string Statement)[] Queries =
        [(DatabaseView, "read_database"), (WalView, "read_wal"), (ServerView, "read_server")];

    /// <summary>
    /// Reads the views, or without <paramref name="reported"/> only what needs no report of the sessions; a view that the role may not read
    /// becomes a reason, any other error is thrown.
    /// </summary>
    public static async Task<PostgresCounters> ReadAsync(
        NpgsqlConnection connection, string database, bool reported, CollectorCost cost, CancellationToken cancellationToken)
    {
        var values = new Dictionary<string, double>(StringComparer.Ordinal);
        var markers = new Dictionary<string, string>(StringComparer.Ordinal);
        var missing = new Dictionary<string, string>(StringComparer.Ordinal);
        var started = await cost.ReadAsync(connection, PostgresCollector.Sql["read_start"], r => r.GetString(0), cancellationToken);
        foreach (var (view, statement) in reported ? Queries : Queries.Where(query => query.View == ServerView))
        {
            try
            {
                var rows = await cost.ReadAsync(
                    connection, PostgresCollector.Sql[statement], r => r.GetString(0), cancellationToken, database);
                if (rows.Count == 0)
                {
                    missing[view] = $"{view} has no row for '{database}'";
                    continue;
                }

                markers[view] = $"{Take(view, rows[0], values) ?? "never reset"}, server started {started[0]}";
            }
            catch (PostgresException exception) when (IsAbsent(exception))
            {
                var remedy = exception.SqlState == PostgresErrorCodes.InsufficientPrivilege
                    ? $"; as a superuser: GRANT SELECT ON {view} TO <role>"
                    : "";
                missing[view] = $"{view} cannot be read: {exception.SqlState} {exception.MessageText}{remedy}";
            }
        }

        await DropUntimedAsync(connection, values, missing, cost, cancellationToken);
        return new PostgresCounters(values, markers, missing);
    }

    /// <summary>Whether the error says that the role may not see the object, or that the server has none of that name.</summary>
    public static bool IsAbsent(PostgresException exception) => exception.SqlState
        is PostgresErrorCodes.InsufficientPrivilege or PostgresErrorCodes.UndefinedTable or PostgresErrorCodes.UndefinedFunction
        or PostgresErrorCodes.ObjectNotInPrerequisiteState;

    /// <summary>Differences between this and a later moment. A view whose counters began anew in between has none.</summary>
    public (Dictionary<string, double> Deltas, List<string> Notes) Until(PostgresCounters later)
    {
        var deltas = new Dictionary<string, double>(StringComparer.Ordinal);
        var notes = Missing.Values.Union(later.Missing.Values).Select(reason => $"Null: {reason}.").ToList();
        foreach (var view in Markers.Keys.Intersect(later.Markers.Keys))
        {
            var shared = Values.Keys
                .Where(name => name.StartsWith(view + ".", StringComparison.Ordinal) && later.Values.ContainsKey(name))
                .ToList();
            if (Markers[view] != later.Markers[view] || shared.Any(name => later.Values[name] < Values[name]))
            {
                notes.Add(
                    $"Null: the counters of {view} began anew while they were watched (before: {Markers[view]}; after: "
                        + $"{later.Markers[view]}).");
                continue;
            }

            foreach (var name in shared)
            {
                deltas[name] = later.Values[name] - Values[name];
            }
        }

        return (deltas, notes);
    }

    private static string? Take(string view, string json, Dictionary<string, double> values)
    {
        using var row = JsonDocument.Parse(json);
        foreach (var column in row.RootElement.EnumerateObject())
        {
            if (column.Value.ValueKind == JsonValueKind.Number && !Gauges.Contains(column.Name))
            {
                values[$"{view}.{column.Name}"] = double.Parse(column.Value.GetRawText(), CultureInfo.InvariantCulture);
            }
        }

        return row.RootElement.GetProperty("stats_reset").GetString();
    }

    /// <summary>A time that the server is not set to take reads as 0, which would pass for a measurement.</summary>
    private static async Task DropUntimedAsync(
        NpgsqlConnection connection,
        Dictionary<string, double> values,
        Dictionary<string, string> missing,
        CollectorCost cost,
        CancellationToken cancellationToken)
    {
        foreach (var off in await cost.ReadAsync(connection, PostgresCollector.Sql["read_untimed"], r => r.GetString(0), cancellationToken))
        {
            string[] columns = off == "track_io_timing"
                ? [DatabaseView + ".blk_read_time", DatabaseView + ".blk_write_time"]
                : [WalView + ".wal_write_time", WalView + ".wal_sync_time"];
            if (columns.Where(values.Remove).ToList() is { Count: > 0 } removed)
            {
                missing[off] = $"{string.Join(", ", removed)}: {off} is off on the server";
            }
        }
    }
}

/// <summary>
/// What only a session of the measured database itself can read: tables and statements. It is read outside the window between the two
/// snapshots, so that its own transactions are not counted.
/// </summary>
internal sealed record DatabaseDetails(
    int SessionId,
    IReadOnlyDictionary<string, double> Tables,
    IReadOnlyDictionary<string, StatementCost> Statements,
    IReadOnlyList<string> Missing)
{
    /// <summary>Opens a session of its own, reads, and closes it; the session has ended on the server only a moment later.</summary>
    public static async Task<DatabaseDetails> ReadAsync(string connectionString, CollectorCost cost, CancellationToken cancellationToken)
    {
        await using var connection = await PostgresCollector.ConnectAsync(connectionString, cancellationToken);
        var tables = await cost.ReadAsync(
            connection, PostgresCollector.Sql["read_tables"], r => (Updates: r.GetDouble(0), Hot: r.GetDouble(1)), cancellationToken);
        var missing = new List<string>();
        var statements = new Dictionary<string, StatementCost>(StringComparer.Ordinal);
        try
        {
            var sql = PostgresCollector.Sql["read_statements"];
            foreach (var (key, statement) in await cost.ReadAsync(connection, sql, Statement, cancellationToken))
            {
                statements[key] = statements.TryGetValue(key, out var same) ? same.Plus(statement) : statement;
            }
        }
        catch (PostgresException exception)
            when (PostgresCounters.IsAbsent(exception) || exception.SqlState == PostgresErrorCodes.UndefinedColumn)
        {
            missing.Add(
                $"statements: pg_stat_statements cannot be read ({exception.SqlState} {exception.MessageText}); it needs "
                    + "shared_preload_libraries = 'pg_stat_statements' and CREATE EXTENSION pg_stat_statements in the measured database");
        }

        var updates = new Dictionary<string, double>(StringComparer.Ordinal)
        {
            ["pg_stat_user_tables.n_tup_upd"] = tables[0].Updates,
            ["pg_stat_user_tables.n_tup_hot_upd"] = tables[0].Hot,
        };
        return new DatabaseDetails(connection.ProcessID, updates, statements, missing);
    }

    /// <summary>Statements that ran between this and a later moment, the costliest first; null when they are not known.</summary>
    public IReadOnlyList<StatementCost>? StatementsUntil(DatabaseDetails later)
    {
        if (Missing.Count + later.Missing.Count > 0
            || Statements.Any(before => !later.Statements.TryGetValue(before.Key, out var now) || now.Calls < before.Value.Calls))
        {
            return null;
        }

        return
        [
            .. later.Statements
                .Select(now => Statements.TryGetValue(now.Key, out var before) ? now.Value.Minus(before) : now.Value)
                .Where(cost => cost.Calls > 0)
                .OrderByDescending(cost => cost.Milliseconds),
        ];
    }

    private static (string Key, StatementCost Cost) Statement(NpgsqlDataReader r) =>
        (r.GetString(0), new StatementCost(r.GetString(1), r.GetDouble(2), r.GetDouble(3), r.GetDouble(4), r.GetDouble(5), r.GetDouble(6)));
}

/// <summary>
/// Waits until the sessions of a database have reported what they did. A session reports after a transaction, but at most once a second
/// (PGSTAT_MIN_INTERVAL in pgstat.c); what it did within that second stays in its own memory until its next transaction, its end, or ten
/// seconds of idleness (PGSTAT_IDLE_INTERVAL, since version 15). No other session can make it report: an empty Sync does not, because the
/// server goes by the end of the last transaction. Reading earlier would miss the end of every short load, or all of it.
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
                return $"{open.Count} sessions of '{database}' are open, and version {connection.PostgreSqlVersion.Major} "
                    + "lets idle sessions keep what they counted";
            }

            if (waited > Deadline)
            {
                return $"{open.Count} sessions of '{database}' did not stay idle for {IdleReport.TotalSeconds} s "
                    + $"within {Deadline.TotalSeconds:0} s (the first is {open[0].State ?? "not visible"})";
            }

            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    /// <summary>Waits until the server no longer lists a session that was closed: from then on it has reported.</summary>
    /// <exception cref="TimeoutException">It is still listed after 20 seconds.</exception>
    public static async Task WaitForEndAsync(
        NpgsqlConnection connection, int session, CollectorCost cost, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(5));
        var listed = PostgresCollector.Sql["find_session"];
        while ((await cost.ReadAsync(connection, listed, r => r.GetInt32(0), cancellationToken, $"{session}")).Count > 0)
        {
            if (Stopwatch.GetElapsedTime(start) > Deadline)
            {
                throw new TimeoutException(
                    $"Session {session} was closed, and the server still lists it after {Deadline.TotalSeconds:0} s.");
            }

            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    /// <summary>A session whose state may not be seen can only be waited for; whether it was idle, its owner has to know.</summary>
    private static bool HasReported(Session session, TimeSpan waited) =>
        session.Since is null ? waited >= IdleReport : session.State == "idle" && session.Now - session.Since >= IdleReport;

    private static Task<List<Session>> ReadAsync(
        NpgsqlConnection connection, string database, CollectorCost cost, CancellationToken cancellationToken) =>
        cost.ReadAsync(
            connection,
            PostgresCollector.Sql["read_sessions"],
            r => new Session(r.IsDBNull(0) ? null : r.GetString(0), r.IsDBNull(1) ? null : r.GetDateTime(1), r.GetDateTime(2)),
            cancellationToken,
            database);
}
