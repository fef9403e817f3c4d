namespace IntegrationTests.Containers;

public sealed class ContainerPostgresServerTests : ContainerTests
{
    /// <summary>128 and the number of SIGKILL, as the engine reports a process that it ended.</summary>
    private const int KilledExitCode = 137;

    [Fact]
    public async Task Container_server_reports_durability_and_what_it_used()
    {
        await using var server = await StartPostgresAsync();
        var before = await server.Host.Container!.ReadUsageAsync(Cancel);
        var database = await server.CreateDatabaseAsync("fresh", Cancel);

        var settings = await server.ReadSettingsAsync(Cancel);

        Assert.Equal(ProvisionMode.Container, server.Host.Provision);
        Assert.Equal("durable", settings.Durability);
        Assert.Equal("2GB", settings.Settings["max_wal_size"]);
        Assert.Equal("256kB", settings.Settings["backend_flush_after"]);
        Assert.Matches(@"^\d+", settings.Version);
        const string Extension = "SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'";
        Assert.Equal(1L, await Statements.ScalarAsync(database, Extension));
        var password = new NpgsqlConnectionStringBuilder(database).Password!;
        Assert.DoesNotContain(password, server.Description, StringComparison.Ordinal);

        await Statements.ScalarAsync(database, "SELECT sum(sqrt(n)) FROM generate_series(1, 3000000) AS n");
        var after = await server.Host.Container!.ReadUsageAsync(Cancel);
        Assert.NotNull(before);
        Assert.NotNull(after);
        Assert.InRange(after.CpuSeconds - before.CpuSeconds, 0.1, 60);
        Assert.InRange(after.MemoryBytes, 10 << 20, 1 << 30);
    }

    [Fact]
    public async Task Killed_container_server_restarts_on_the_same_port()
    {
        await using var server = await StartPostgresAsync();
        var database = await server.CreateDatabaseAsync("comes back", Cancel);
        await Statements.ScalarAsync(database, "CREATE TABLE kept (id int PRIMARY KEY); INSERT INTO kept VALUES (1)");

        await server.Host.KillAsync(Cancel);
        var killed = await server.Host.Container!.ReadStateAsync(Cancel);
        await Assert.ThrowsAnyAsync<NpgsqlException>(() => Statements.ScalarAsync(database, "SELECT 1"));
        await server.Host.StartAgainAsync(Cancel);

        Assert.Equal(KilledExitCode, killed.ExitCode);
        Assert.Equal(1L, await Statements.ScalarAsync(database, "SELECT count(*) FROM kept"));
    }

    [Fact]
    public async Task Frozen_server_continues_and_can_be_removed()
    {
        var server = await StartPostgresAsync();
        try
        {
            await server.Host.Container!.PauseAsync(Cancel);
            var start = Stopwatch.GetTimestamp();
            var failure = await Assert.ThrowsAsync<BackendException>(
                () => PostgresServer.ConnectAsync(server.AdministrationConnectionString, "A_VARIABLE", Cancel));
            var took = Stopwatch.GetElapsedTime(start);
            await server.Host.Container!.ResumeAsync(Cancel);

            Assert.InRange(took, TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(1));
            AssertHolds(failure.Message, "A_VARIABLE", $"port={server.Host.Container!.PortOf(5432)}");
            Assert.Equal(1, await Statements.ScalarAsync(server.AdministrationConnectionString, "SELECT 1"));
            await server.Host.Container!.PauseAsync(Cancel);
        }
        finally
        {
            await server.DisposeAsync();
        }

        Assert.Empty(await Engine.ListOwnAsync(Cancel));
    }

    [Fact]
    public async Task Catalogue_removes_its_containers()
    {
        await ImageAsync(ServerKind.Postgres);
        var variables = new BackendVariables { Provision = ProvisionMode.Container };
        await using (var catalog = new BackendCatalog(
            variables,
            findEngine: _ => Task.FromResult<(IContainerEngine?, string?)>((new BorrowedEngine(Engine), null))))
        {
            var availability = await catalog.ProbeAsync("postgres", Cancel);
            var server = await catalog.PostgresAsync(Cancel);

            Assert.True(availability.IsAvailable);
            Assert.Equal([ProvisionMode.Container], availability.Attempts.Select(attempt => attempt.Mode));
            Assert.Equal([server.Host.Container!.Id], await Engine.ListOwnAsync(Cancel));
        }

        Assert.Empty(await Engine.ListOwnAsync(Cancel));
    }
}
