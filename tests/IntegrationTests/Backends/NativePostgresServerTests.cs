using Foundation;

namespace IntegrationTests.Backends;

[Trait("Category", "Integration")]
public sealed class NativePostgresServerTests(BackendFixture fixture)
{
    [Fact]
    public async Task Server_says_itself_that_it_is_durable()
    {
        await using var server = await StartAsync();

        var settings = await server.ReadSettingsAsync(Cancel);

        Assert.Equal("durable", settings.Durability);
        Assert.Equal("on", settings.Settings["fsync"]);
        Assert.Equal("on", settings.Settings["full_page_writes"]);
        Assert.Equal("on", settings.Settings["synchronous_commit"]);
        Assert.Equal("2GB", settings.Settings["max_wal_size"]);
        Assert.Equal("256kB", settings.Settings["backend_flush_after"]);
        Assert.Matches(@"^\d+", settings.Version);
        Assert.Superset(
            new HashSet<string>
            {
                "wal_sync_method", "wal_level", "shared_buffers", "max_connections", "checkpoint_timeout",
                "commit_delay",
                "wal_compression",
            },
            settings.Settings.Keys.ToHashSet());
    }

    [Fact]
    public async Task Killed_server_restarts_with_what_it_acknowledged()
    {
        await using var server = await StartAsync();
        var database = await server.CreateDatabaseAsync("comes back", Cancel);
        await Statements.ScalarAsync(database, "CREATE TABLE kept (id int PRIMARY KEY); INSERT INTO kept VALUES (1)");

        await server.StopImmediateAsync(Cancel);
        await Assert.ThrowsAnyAsync<NpgsqlException>(() => Statements.ScalarAsync(database, "SELECT 1"));
        await server.Host.StartAgainAsync(Cancel);
        await Statements.ScalarAsync(database, "INSERT INTO kept VALUES (2)");

        await server.Host.KillAsync(Cancel);
        await Assert.ThrowsAnyAsync<NpgsqlException>(() => Statements.ScalarAsync(database, "SELECT 1"));
        await server.Host.StartAgainAsync(Cancel);

        Assert.Equal(2L, await Statements.ScalarAsync(database, "SELECT count(*) FROM kept"));
    }

    [Fact]
    public async Task Each_database_is_empty_and_has_statement_statistics()
    {
        await using var server = await StartAsync();
        var first = await server.CreateDatabaseAsync("same name", Cancel);
        var second = await server.CreateDatabaseAsync("same name", Cancel);
        await Statements.ScalarAsync(first, "CREATE TABLE mine (id int)");

        Assert.Equal(DBNull.Value, await Statements.ScalarAsync(second, "SELECT to_regclass('mine')::text"));
        const string Offered = "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements'";
        const string Created = "SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'";
        Assert.Equal(await Statements.ScalarAsync(first, Offered), await Statements.ScalarAsync(first, Created));

        await server.DropDatabaseAsync(first, Cancel);
        await Assert.ThrowsAnyAsync<NpgsqlException>(() => Statements.ScalarAsync(first, "SELECT 1"));
    }

    [Fact]
    public async Task Impossible_request_is_refused_with_the_server_log()
    {
        await using var server = await StartAsync();

        var running = await Assert.ThrowsAsync<BackendException>(() => server.Host.StartAgainAsync(Cancel));
        await server.StopFastAsync(Cancel);
        var stopped = await Assert.ThrowsAsync<BackendException>(() => server.Host.KillAsync(Cancel));
        var unanswered =
            await Assert.ThrowsAsync<BackendException>(() => server.CreateDatabaseAsync("nobody home", Cancel));

        Assert.Contains("runs already", running.Message, StringComparison.Ordinal);
        Assert.Contains("does not run", stopped.Message, StringComparison.Ordinal);
        Assert.Contains("database system is shut down", unanswered.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Disposed_server_leaves_neither_process_nor_directory()
    {
        var server = await StartAsync();
        var id = server.Host.ProcessId!.Value;

        await server.DisposeAsync();

        Assert.False(Directory.Exists(server.Host.DirectoryPath));
        Assert.False(OwningProcess.IsAlive(id));
    }

    [Fact]
    public async Task Server_of_a_killed_test_process_ends_and_its_directory_goes()
    {
        await RequireBinariesAsync();
        Assert.SkipWhen(OperatingSystem.IsWindows(), "On Windows the next run's sweep removes it, not a guard.");
        using var owner = await OwningProcess.StartAsync(ServerForAnotherProcess.Variable, lines: 2, Cancel);
        var (directory, id) = (owner.Note[0], int.Parse(owner.Note[1], CultureInfo.InvariantCulture));
        Assert.True(OwningProcess.IsAlive(id));

        await owner.KillAsync(Cancel);

        await Eventually.HoldsAsync(
            () => !OwningProcess.IsAlive(id) && !Directory.Exists(directory), $"server {id} and '{directory}' to go");
    }

    [Fact]
    public async Task Directory_of_a_dead_owner_is_removed_by_the_next_start()
    {
        await RequireBinariesAsync();
        var abandoned = Path.Combine(FileSystems.OfServers, "workflow-postgres-999999999-1-1");
        Directory.CreateDirectory(Path.Combine(abandoned, "data"));

        await using var server = await StartAsync();

        Assert.False(Directory.Exists(abandoned));
        Assert.True(Directory.Exists(server.Host.DirectoryPath));
    }

    private async Task<PostgresServer> StartAsync() =>
        await PostgresServer.StartNativeAsync(await RequireBinariesAsync(), cancellationToken: Cancel);

    private async Task<PostgresBinaries> RequireBinariesAsync()
    {
        await fixture.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var binaries = PostgresBinaries.Find();
        Assert.SkipWhen(
            binaries is null, $"The server is not a native one, and no programs to start one were found "
                + $"in {PostgresBinaries.Places}.");
        return binaries;
    }
}
