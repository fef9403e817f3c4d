using Foundation;
using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// Counts what a PostgreSQL server does for one database between two moments, and samples what its sessions wait for.
/// It looks from another database of the server, so that its own transactions are not among those it counts.
/// </summary>
/// <remarks>
/// Needs no superuser. <c>pg_read_all_stats</c> lets it see sessions of other roles; what it may not read is absent,
/// with the reason in the notes. Sessions report to pg_stat_database and pg_stat_wal late (<see cref="SessionReports"/>
/// says why), so both moments wait for up to eleven idle seconds. Without that wait these views are left out; the log's
/// position, transaction ids and pg_stat_statements are exact at once.
/// </remarks>
public sealed class PostgresCollector : ICollector
{
    internal static readonly SqlFile Sql = SqlFile.Of(typeof(PostgresCollector).Assembly, "collector");
    private const string NoWait = "sessions report to them up to 10 s late, and this run does not wait for that";

    private static readonly (string, IReadOnlyList<string>)[] PerOperation =
    [
        ("commits", ["pg_stat_database.xact_commit"]),
        ("rollbacks", ["pg_stat_database.xact_rollback"]),
        ("writeTransactions", ["server.transaction_ids"]),
        ("rows", ["pg_stat_database.tup_inserted", "pg_stat_database.tup_updated", "pg_stat_database.tup_deleted"]),
        ("logicalReads", ["pg_stat_database.blks_hit", "pg_stat_database.blks_read"]),
        ("logicalReads", ["pg_stat_statements.shared_blks"]),
        ("walBytes", ["server.wal_bytes"]),
        ("walSyncs", ["pg_stat_wal.wal_sync"]),
        ("statements", ["pg_stat_statements.calls"]),
    ];

    private readonly string _observer;
    private readonly string _measured;
    private readonly CollectorCost _cost;
    private readonly WaitSampler _sampler;
    private readonly PostgresCounters _before;
    private readonly DatabaseDetails _details;
    private readonly string? _unreported;

    private PostgresCollector(
        string observer,
        string measured,
        CollectorCost cost,
        WaitSampler sampler,
        PostgresCounters before,
        DatabaseDetails details,
        string? unreported)
    {
        _observer = observer;
        _measured = measured;
        _cost = cost;
        _sampler = sampler;
        _before = before;
        _details = details;
        _unreported = unreported;
    }

    /// <summary>
    /// How to look at a database of <paramref name="server"/>: its administrative database, or one that always exists.
    /// </summary>
    public static string ObserverOf(PostgresServer server, string measured)
    {
        var builder = new NpgsqlConnectionStringBuilder(server.AdministrationConnectionString) { SearchPath = null };
        if (DatabaseOf(builder.ConnectionString) == DatabaseOf(measured))
        {
            builder.Database = DatabaseOf(measured) == "postgres" ? "template1" : "postgres";
        }

        return builder.ConnectionString;
    }

    /// <summary>Waits until what happened before is reported, takes the first snapshot and begins to sample.</summary>
    /// <param name="observer">How to connect for looking; of the same server, and not the measured database.</param>
    /// <param name="measured">
    /// How to connect to the measured database; used only before the first and after the second snapshot.
    /// </param>
    /// <param name="waitForReports">
    /// Whether both moments wait for the sessions to report; otherwise those counters are absent.
    /// </param>
    /// <exception cref="ArgumentException">Both name the same database: the collector would count itself.</exception>
    /// <exception cref="NpgsqlException">The server cannot be reached.</exception>
    public static async Task<PostgresCollector> StartAsync(
        string observer, string measured, bool waitForReports, CancellationToken cancellationToken)
    {
        var database = DatabaseOf(measured);
        if (DatabaseOf(observer) == database)
        {
            throw new ArgumentException(
                $"The collector would look from '{database}', which it measures, and count its own transactions. Let "
                + "it connect to another database of the server, e.g. postgres or template1.", nameof(observer));
        }

        var cost = new CollectorCost();
        await using var connection = await ConnectAsync(observer, cancellationToken);
        var unreported = waitForReports
            ? await SessionReports.WaitAsync(connection, database, cost, cancellationToken)
            : NoWait;
        var details = await DatabaseDetails.ReadAsync(measured, cost, cancellationToken);
        await SessionReports.WaitForEndAsync(connection, details.SessionId, cost, cancellationToken);
        var sampler = await PostgresWaits.SampleAsync(observer, database, cost, cancellationToken);
        try
        {
            var before = await PostgresCounters.ReadAsync(
                connection, database, unreported is null, cost, cancellationToken);
            return new PostgresCollector(observer, measured, cost, sampler, before, details, unreported);
        }
        catch
        {
            await sampler.StopAsync();
            throw;
        }
    }

    public IReadOnlyDictionary<string, double>? WaitSeconds => _sampler.Seconds;

    /// <summary>Ends sampling, waits until everything is reported, and takes the second snapshot.</summary>
    /// <exception cref="NpgsqlException">The server cannot be reached.</exception>
    public async Task<CollectedCounters> StopAsync(CancellationToken cancellationToken)
    {
        await _sampler.StopAsync();
        var database = DatabaseOf(_measured);
        var sampling = string.Create(
            CultureInfo.InvariantCulture,
            $"collector: {_sampler.Samples} samples of pg_stat_activity within the measured part");
        await using var connection = await ConnectAsync(_observer, cancellationToken);
        var unreported = _unreported ?? await SessionReports.WaitAsync(connection, database, _cost, cancellationToken);
        var after = await PostgresCounters.ReadAsync(
            connection, database, unreported is null, _cost, cancellationToken);
        var details = await DatabaseDetails.ReadAsync(_measured, _cost, cancellationToken);

        var (raw, notes) = _before.Until(after);
        if (unreported is not null)
        {
            notes.Add(
                $"Null: pg_stat_database, pg_stat_wal and pg_stat_user_tables: {unreported}. logicalReads are those of "
                + "statements alone.");
        }

        var statements = _details.StatementsUntil(details);
        AddDetails(raw, notes, statements, details);
        if (raw.ContainsKey(PostgresCounters.WalView + ".wal_bytes")
            && !raw.ContainsKey(PostgresCounters.WalView + ".wal_sync"))
        {
            notes.Add("Null: walSyncs: this version's pg_stat_wal has no wal_sync (18 moved it to pg_stat_io, which is "
                + "not read).");
        }

        var (waits, reason) = _sampler.Shares();
        notes.AddRange([
            "Counted for the whole database; walBytes, walSyncs and writeTransactions for the whole server, its "
                + "background processes included.",
            .. reason is null ? Array.Empty<string>() : [reason],
            string.Create(
                CultureInfo.InvariantCulture,
                $"{sampling}; {_cost.Queries} queries, {_cost.Milliseconds:0} ms in all."),
        ]);
        raw["collector.queries"] = _cost.Queries;
        raw["collector.samples"] = _sampler.Samples;
        raw["collector.milliseconds"] = _cost.Milliseconds;
        return new CollectedCounters(raw, waits, statements, notes)
        {
            Looks = _sampler.Looks(),
            PerOperation = PerOperation,
        };
    }

    public async ValueTask DisposeAsync() => await _sampler.StopAsync();

    /// <summary>A session outside any pool: its end is its last report.</summary>
    public static async Task<NpgsqlConnection> ConnectAsync(
        string connectionString, CancellationToken cancellationToken)
    {
        var builder = new NpgsqlConnectionStringBuilder(connectionString)
        {
            Pooling = false,
            ApplicationName = "workflow-collector",
            CommandTimeout = 5,
        };
        return await new NpgsqlConnection(builder.ConnectionString)
            .PreparedAsync(connection => connection.OpenAsync(cancellationToken));
    }

    private void AddDetails(
        Dictionary<string, double> raw, List<string> notes, IReadOnlyList<StatementCost>? statements,
        DatabaseDetails after)
    {
        foreach (var (name, value) in after.Tables)
        {
            if (value >= _details.Tables[name] && raw.ContainsKey("pg_stat_database.xact_commit"))
            {
                raw[name] = value - _details.Tables[name];
            }
        }

        if (statements is not null)
        {
            raw["pg_stat_statements.calls"] = statements.Sum(statement => statement.Calls);
            raw["pg_stat_statements.rows"] = statements.Sum(statement => statement.Rows);
            raw["pg_stat_statements.shared_blks"] = statements.Sum(statement => statement.LogicalReads);
            raw["pg_stat_statements.total_exec_time"] = statements.Sum(statement => statement.Milliseconds);
            return;
        }

        var reasons = _details.Missing.Union(after.Missing).ToList();
        notes.AddRange(reasons.Count > 0
            ? reasons.Select(why => $"Null: {why}.")
            : ["Null: statements: pg_stat_statements was reset or dropped entries while it was watched."]);
    }

    private static string DatabaseOf(string connectionString)
    {
        var builder = new NpgsqlConnectionStringBuilder(connectionString);
        return builder.Database ?? builder.Username ?? "";
    }
}
