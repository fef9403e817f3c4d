namespace IntegrationTests.Backends;

[Trait("Category", "Integration")]
public sealed class ConnectionPoolWatchTests(BackendFixture fixture)
{
    [Fact]
    [JudgesRealTime]
    public Task Waits_for_a_connection_are_averaged_over_time() =>
        RealTime.HoldsAsync(async () =>
        {
            var (source, database) = await SourceAsync(connections: 2);
            await using var disposed = source;
            await using var watch = ConnectionPoolWatch.Start(database);

            // Both connections are held while three others wait for a second, in vain.
            await using (await source.OpenConnectionAsync(Cancel))
            await using (await source.OpenConnectionAsync(Cancel))
            {
                var waiting = Enumerable.Range(0, 3)
                    .Select(_ =>
                        Assert.ThrowsAsync<NpgsqlException>(async () => await source.OpenConnectionAsync(Cancel)));
                await Task.WhenAll(waiting);
            }

            var use = await watch.StopAsync();

            Assert.NotNull(use);
            Assert.Equal(2, use.MaxConnections);
            Assert.Equal(3, use.Timeouts);
            Assert.InRange(use.AverageWaiting, 1, 3);
            Assert.InRange(use.AverageUsed, 0.7, 2);
        });

    [Fact]
    [JudgesRealTime]
    public Task Pool_with_enough_connections_has_no_waits() => RealTime.HoldsAsync(async () =>
    {
        var (source, database) = await SourceAsync(connections: 4);
        await using var disposed = source;
        await using var watch = ConnectionPoolWatch.Start(database);
        await using (var connection = await source.OpenConnectionAsync(Cancel))
        {
            await using var command = new NpgsqlCommand("SELECT pg_sleep(0.2)", connection);
            await command.ExecuteNonQueryAsync(Cancel);
        }

        var use = await watch.StopAsync();

        Assert.NotNull(use);
        Assert.Equal((4, 0L), (use.MaxConnections, use.Timeouts));
        Assert.Equal(0, use.AverageWaiting);
        Assert.InRange(use.AverageUsed, 0.1, 1);
    });

    private async Task<(NpgsqlDataSource Source, string Database)> SourceAsync(int connections)
    {
        await fixture.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var server = await fixture.Catalog.PostgresAsync(Cancel);
        var builder =
            new NpgsqlConnectionStringBuilder(
                await server.CreateDatabaseAsync("pool", Cancel)) { MaxPoolSize = connections, Timeout = 1 };
        return (NpgsqlDataSource.Create(builder), builder.Database!);
    }
}
