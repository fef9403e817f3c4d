using LoadTesting.Core.Analysis.Findings;
using LoadTesting.Core.Results;

namespace IntegrationTests.Backends;

[Trait("Category", "Integration")]
public sealed class PostgresCollectorTests(BackendFixture fixture)
{
    private const int Commits = 100;
    private const int Rollbacks = 10;
    private const int AutovacuumShare = 20;

    [Fact]
    public async Task Known_workload_is_counted_to_the_unit()
    {
        var (server, database) = await DatabaseAsync();
        await using var session = await OpenAsync(database);
        await WorkAsync(session); // What lies before the window must not slip into it.

        await using var collector = await StartAsync(server, database);
        await WorkAsync(session);
        // Its end is its last report; that open sessions are waited for, the start has shown.
        await session.CloseAsync();
        var counted = await collector.StopAsync(Cancel);

        // An autovacuum worker in the database commits some transactions within the window and writes
        // some statistics rows.
        Assert.InRange(counted.Raw["pg_stat_database.xact_commit"], Commits, Commits + AutovacuumShare);
        Assert.Equal(Rollbacks, counted.Raw["pg_stat_database.xact_rollback"]);
        Assert.InRange(
            counted.Raw["pg_stat_database.tup_inserted"], Commits + Rollbacks, Commits + Rollbacks + AutovacuumShare);
        Assert.Equal(0, counted.Raw["pg_stat_database.deadlocks"]);
        Assert.True(counted.Raw["server.wal_bytes"] > Commits * 50, $"{counted.Raw["server.wal_bytes"]} bytes of log");
        Assert.True(
            counted.Raw["server.transaction_ids"] >= Commits
                + Rollbacks, $"{counted.Raw["server.transaction_ids"]} ids");
        Assert.True(counted.Raw["pg_stat_wal.wal_sync"] >= Commits, $"{counted.Raw["pg_stat_wal.wal_sync"]} syncs");

        // In memory a hundred forced writes may take less than a microsecond each, and the server counts whole ones: it
        // times both or none.
        Assert.True(server.Host.Provision == ProvisionMode.External
            || counted.Raw["pg_stat_wal.wal_sync_time"] + counted.Raw["pg_stat_wal.wal_write_time"] > 0,
            "the server was configured to time its forced writes");
        Assert.True(counted.Raw["collector.queries"] > 0);
        Assert.True(counted.Raw["collector.milliseconds"] > 0);
        var result = counted.ToResult(Commits / 2);
        Assert.Equal(
            counted.Raw["pg_stat_database.xact_commit"] / (Commits / 2), result.PerOperation["commits"]!.Value, 6);
        Assert.InRange(result.PerOperation["rows"]!.Value, 2.2, 2.2 + (AutovacuumShare / (Commits / 2.0)));
        Assert.All(counted.ToResult(0).PerOperation.Values, Assert.Null);
    }

    [Fact]
    public async Task Collector_leaves_out_its_own_statements()
    {
        var (server, database) = await DatabaseAsync();
        await using var session = await OpenAsync(database);
        var installed =
            await ScalarAsync(session, "SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'");
        await WorkAsync(session);

        await using var collector = await StartAsync(server, database, waitForReports: false);
        await WorkAsync(session);
        if (server.Host.Provision != ProvisionMode.External)
        {
            await RunStatementsElsewhereAsync();
        }

        var counted = await collector.StopAsync(Cancel);

        Assert.DoesNotContain("pg_stat_database.xact_commit", counted.Raw.Keys);
        Assert.Contains(counted.Notes, note => note.Contains("up to 10 s late", StringComparison.Ordinal));
        Assert.True(
            counted.Raw["server.transaction_ids"] >= Commits
                + Rollbacks, $"{counted.Raw["server.transaction_ids"]} ids");
        if ((long)installed! == 0)
        {
            Assert.Null(counted.Statements);
            Assert.Contains(
                counted.Notes, note => note.Contains("CREATE EXTENSION pg_stat_statements", StringComparison.Ordinal));
            return;
        }

        Assert.True(counted.Statements is not null, string.Join(" ", counted.Notes));
        var inserts = Assert.Single(
            counted.Statements, statement => statement.Text.StartsWith("INSERT", StringComparison.Ordinal));
        Assert.Equal(Commits + Rollbacks, inserts.Calls);
        Assert.Equal(Commits + Rollbacks, inserts.Rows);
        Assert.All(counted.Statements, statement => Assert.Matches("^(INSERT|BEGIN|ROLLBACK)", statement.Text));
    }

    [Fact]
    [JudgesRealTime]
    public Task Wait_for_a_lock_is_sampled_under_the_servers_name_for_it() => RealTime.HoldsAsync(async () =>
    {
        var (server, database) = await DatabaseAsync();
        await using var holder = await OpenAsync(database);
        await using var waiter = await OpenAsync(database);
        await using var collector = await StartAsync(server, database, waitForReports: false);
        await ExecuteAsync(holder, "SELECT pg_advisory_lock(7)");

        // A try of 4 s gives 40 samples of one waiting session; the server itself ends it.
        await ExecuteAsync(waiter, "SET lock_timeout = '4s'");
        var error =
            await Assert.ThrowsAsync<PostgresException>(() => ExecuteAsync(waiter, "SELECT pg_advisory_lock(7)"));
        var waited = collector.WaitSeconds!["Lock:advisory"];
        var counted = await collector.StopAsync(Cancel);

        Assert.Equal(PostgresErrorCodes.LockNotAvailable, error.SqlState);
        Assert.True(counted.Waits.Count > 0, string.Join(" ", counted.Notes));
        Assert.Equal("Lock:advisory", counted.Waits[0].Name);
        Assert.True(counted.Waits[0].Share > 0.9);
        Assert.Equal(1, counted.Waits.Sum(wait => wait.Share)!.Value, 9);
        var looks = counted.Looks!;
        var locked = looks.Select(look => look.Waits.GetValueOrDefault("Lock:advisory"))
            .Where(wait => wait.Sessions > 0).ToList();
        Assert.All(locked, wait => Assert.Equal((ResourceNames.Locks, 1L), (wait.Resource, wait.Sessions)));
        Assert.InRange(locked.Count, looks.Count / 2, looks.Count);
        Assert.InRange(waited, 3, 5);
    });

    [Fact]
    public async Task Too_few_samples_give_no_shares_but_the_reason()
    {
        var (server, database) = await DatabaseAsync();

        await using var collector = await StartAsync(server, database);
        var counted = await collector.StopAsync(Cancel);

        Assert.Empty(counted.Waits);
        Assert.Contains(counted.Notes, note => note.Contains("shares need 30", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Restarted_counters_are_absent_not_negative()
    {
        var (server, database) = await DatabaseAsync();
        await using var collector = await StartAsync(server, database);
        await using (var session = await OpenAsync(database))
        {
            await ExecuteAsync(session, "SELECT pg_stat_reset()");
        }

        var counted = await collector.StopAsync(Cancel);

        Assert.DoesNotContain("pg_stat_database.xact_commit", counted.Raw.Keys);
        Assert.Null(counted.ToResult(1).PerOperation["commits"]);
        Assert.Contains(counted.Notes, note => note.Contains("the counters of pg_stat_database were reset", StringComparison.Ordinal));
        Assert.Contains("pg_stat_wal.wal_bytes", counted.Raw.Keys);
    }

    [Fact]
    public async Task Unreadable_figures_name_the_missing_grant()
    {
        var (server, database) = await DatabaseAsync();
        var watch = await server.CreateDatabaseAsync("watch", Cancel);
        var role = "watcher_" + Guid.NewGuid().ToString("N")[..8];
        await server.CreateRoleAsync(role, "a-password");
        await using (var administrator = await OpenAsync(watch))
        {
            await ExecuteAsync(administrator, "REVOKE SELECT ON pg_stat_wal FROM PUBLIC");
        }

        var asRole = new NpgsqlConnectionStringBuilder(watch) { Username = role, Password = "a-password" };
        await using var collector =
            await PostgresCollector.StartAsync(asRole.ConnectionString, database, waitForReports: true, Cancel);
        await using var session = await OpenAsync(database);
        await WorkAsync(session);
        await Task.Delay(TimeSpan.FromMilliseconds(250), Cancel); // Two samples, to see that they show nothing.
        var counted = await collector.StopAsync(Cancel);

        // Sessions that cannot be seen are waited for until the server lets them report by itself.
        Assert.Equal(Rollbacks, counted.Raw["pg_stat_database.xact_rollback"]);
        Assert.True(counted.Raw["pg_stat_database.xact_commit"] >= Commits);
        Assert.Null(counted.ToResult(1).PerOperation["walSyncs"]);
        Assert.Contains(counted.Notes, note => note.Contains("GRANT SELECT ON pg_stat_wal", StringComparison.Ordinal));
        Assert.Contains(counted.Notes, note => note.Contains("GRANT pg_read_all_stats", StringComparison.Ordinal));
        Assert.DoesNotContain(counted.Notes, note => note.Contains("a-password", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Collector_refuses_to_look_from_the_database_that_it_measures()
    {
        var (_, database) = await DatabaseAsync();

        var error = await Assert.ThrowsAsync<ArgumentException>(() =>
            PostgresCollector.StartAsync(database, database, waitForReports: false, Cancel));

        Assert.Contains("count its own transactions", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Ceilings_are_all_measured_and_agree_with_each_other()
    {
        var (server, _) = await DatabaseAsync();

        // One after the other on a machine of many: a neighbour may come to one span and not to the next.
        CeilingsResult ceilings;
        var attempt = 0;
        do
        {
            ceilings = await new PostgresCeilings(server, TimeSpan.FromMilliseconds(300)).MeasureAsync(Cancel);
        }
        while (++attempt < 10 && 1000 / ceilings.RoundTripMs <= ceilings.CommitsPerSecond);

        Assert.Equal(server.ReachableDirectory is not null, ceilings.FsyncPerSecond > 0);
        Assert.True(ceilings.CommitsPerSecond > 0);
        Assert.Equal(16, ceilings.ConcurrentClients);
        Assert.True(ceilings.ConcurrentCommitsPerSecond > 0);
        Assert.True(ceilings.RoundTripMs > 0);
        Assert.True(1000 / ceilings.RoundTripMs > ceilings.CommitsPerSecond, "a commit takes longer than a round trip");
    }

    /// <summary>
    /// More statements in another database than the server keeps of all databases by default. Only their operators tell
    /// them apart: to the server all numbers are one.
    /// </summary>
    private async Task RunStatementsElsewhereAsync()
    {
        const int Statements = 12_000;
        var (_, elsewhere) = await DatabaseAsync();
        await using var session = await OpenAsync(elsewhere);
        foreach (var part in Enumerable.Range(0, Statements).Chunk(500))
        {
            await using var batch = new NpgsqlBatch(session);
            foreach (var number in part)
            {
                var columns = Enumerable.Range(0, 14).Select(bit => (number >> bit & 1) == 0 ? "1+1" : "1*1");
                batch.BatchCommands.Add(new NpgsqlBatchCommand($"SELECT {string.Join(", ", columns)}"));
            }

            await batch.ExecuteNonQueryAsync(Cancel);
        }
    }

    private static Task<PostgresCollector> StartAsync(
        PostgresServer server, string database, bool waitForReports = true) =>
        PostgresCollector.StartAsync(PostgresCollector.ObserverOf(server, database), database, waitForReports, Cancel);

    private static async Task WorkAsync(NpgsqlConnection session)
    {
        for (var i = 0; i < Commits; i++)
        {
            await ExecuteAsync(session, "INSERT INTO work VALUES (1)");
        }

        for (var i = 0; i < Rollbacks; i++)
        {
            await using var transaction = await session.BeginTransactionAsync(Cancel);
            await ExecuteAsync(session, "INSERT INTO work VALUES (1)");
            await transaction.RollbackAsync(Cancel);
        }
    }

    private async Task<(PostgresServer Server, string Database)> DatabaseAsync()
    {
        await fixture.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var server = await fixture.Catalog.PostgresAsync(Cancel);
        var database = await server.CreateDatabaseAsync("collector", Cancel);
        await using var session = await OpenAsync(database);
        await ExecuteAsync(session, "CREATE TABLE work (id int)");
        return (server, database);
    }

    private static async Task<NpgsqlConnection> OpenAsync(string connectionString)
    {
        var connection = new NpgsqlConnection(
            new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false }.ConnectionString);
        await connection.OpenAsync(Cancel);
        return connection;
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string sql) =>
        await ScalarAsync(connection, sql);

    private static async Task<object?> ScalarAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        return await command.ExecuteScalarAsync(Cancel);
    }
}
