using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// The server's cumulative counters at one moment. Whole rows are read as JSON, because the columns differ between
/// versions: what a version does not have is then absent, not an error.
/// </summary>
/// <param name="Values">View and column to value, e.g. <c>pg_stat_database.xact_commit</c>.</param>
/// <param name="Markers">View to what changes when its counters begin anew.</param>
/// <param name="Missing">View to the reason why it could not be read.</param>
internal sealed record PostgresCounters(
    IReadOnlyDictionary<string, double> Values, IReadOnlyDictionary<string, string> Markers,
    IReadOnlyDictionary<string, string> Missing)
{
    public const string DatabaseView = "pg_stat_database";
    public const string WalView = "pg_stat_wal";
    public const string ServerView = "server";
    private static readonly string[] Gauges = ["datid", "numbackends"];

    private static readonly (string View, string Statement)[] Queries =
        [(DatabaseView, "read_database"), (WalView, "read_wal"), (ServerView, "read_server")];

    /// <summary>
    /// Reads the views, or without <paramref name="reported"/> only what needs no report of the sessions; a view that
    /// the role may not read becomes a reason, any other error is thrown.
    /// </summary>
    public static async Task<PostgresCounters> ReadAsync(
        NpgsqlConnection connection, string database, bool reported, CollectorCost cost,
        CancellationToken cancellationToken)
    {
        var values = new Dictionary<string, double>(StringComparer.Ordinal);
        var markers = new Dictionary<string, string>(StringComparer.Ordinal);
        var missing = new Dictionary<string, string>(StringComparer.Ordinal);
        var started = await cost.ReadAsync(
            connection, PostgresCollector.Sql["read_start"], r => r.GetString(0), cancellationToken);
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

    /// <summary>
    /// Whether the error says that the role may not see the object, or that the server has none of that name.
    /// </summary>
    public static bool IsAbsent(PostgresException exception) => exception.SqlState
        is PostgresErrorCodes.InsufficientPrivilege or PostgresErrorCodes.UndefinedTable
            or PostgresErrorCodes.UndefinedFunction
        or PostgresErrorCodes.ObjectNotInPrerequisiteState;

    /// <summary>
    /// Differences between this and a later moment. A view whose counters began anew in between has none.
    /// </summary>
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
                    $"Null: the counters of {view} were reset while they were watched (before: {Markers[view]}; after: "
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
        foreach (var off in await cost.ReadAsync(
            connection, PostgresCollector.Sql["read_untimed"], r => r.GetString(0), cancellationToken))
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
