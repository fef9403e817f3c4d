using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// What only a session of the measured database itself can read: tables and statements. It is read outside the window
/// between the two snapshots, so that its own transactions are not counted.
/// </summary>
internal sealed record DatabaseDetails(
    int SessionId,
    IReadOnlyDictionary<string, double> Tables,
    IReadOnlyDictionary<string, StatementCost> Statements,
    IReadOnlyList<string> Missing)
{
    /// <summary>Opens a session, reads, and closes it; on the server the session ends only a moment later.</summary>
    public static async Task<DatabaseDetails> ReadAsync(
        string connectionString, CollectorCost cost, CancellationToken cancellationToken)
    {
        await using var connection = await PostgresCollector.ConnectAsync(connectionString, cancellationToken);
        var tables = await cost.ReadAsync(
            connection, PostgresCollector.Sql["read_tables"], r => (Updates: r.GetDouble(0), Hot: r.GetDouble(1)),
            cancellationToken);
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
                $"statements: pg_stat_statements cannot be read ({exception.SqlState} {exception.MessageText}); it "
                    + "needs shared_preload_libraries = 'pg_stat_statements' and CREATE EXTENSION pg_stat_statements "
                    + "in the measured database");
        }

        var updates = new Dictionary<string, double>(StringComparer.Ordinal)
        {
            ["pg_stat_user_tables.n_tup_upd"] = tables[0].Updates,
            ["pg_stat_user_tables.n_tup_hot_upd"] = tables[0].Hot,
        };
        return new DatabaseDetails(connection.ProcessID, updates, statements, missing);
    }

    /// <summary>
    /// Statements that ran between this and a later moment, the costliest first; null when they are not known.
    /// </summary>
    public IReadOnlyList<StatementCost>? StatementsUntil(DatabaseDetails later)
    {
        if (Missing.Count + later.Missing.Count > 0
            || Statements.Any(
                before => !later.Statements.TryGetValue(before.Key, out var now) || now.Calls < before.Value.Calls))
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
        (r.GetString(0),
            new StatementCost(
                r.GetString(1), r.GetDouble(2), r.GetDouble(3), r.GetDouble(4), r.GetDouble(5), r.GetDouble(6)));
}
