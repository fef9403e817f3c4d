using Foundation;

namespace IntegrationTests.Redis;

[Trait("Category", "Integration")]
public sealed class RedisServerTests(BackendFixture fixture) : RedisTests(fixture)
{
    private const string Secret = "open-sesame-4711";

    [Fact]
    public async Task Server_says_itself_that_it_is_durable()
    {
        await using var server = await StartAsync();

        var settings = await server.ReadSettingsAsync(Cancel);

        Assert.Equal("durable", settings.Durability);
        Assert.Equal("yes", settings.Settings["appendonly"]);
        Assert.Equal("always", settings.Settings["appendfsync"]);
        Assert.Matches(@"^\d+\.\d+", settings.Version);
    }

    [Fact]
    public async Task Settings_that_lose_acknowledged_writes_are_named()
    {
        await using var server = await StartAsync();
        await using (var session = await RedisSession.OpenAsync(server.ConnectionString, Cancel))
        {
            await session.ExecuteAsync(Cancel, "CONFIG", "SET", "appendfsync", "everysec");
        }

        Assert.Equal("not durable: appendfsync=everysec", (await server.ReadSettingsAsync(Cancel)).Durability);
    }

    [Fact]
    public async Task Killed_server_comes_back_with_what_it_acknowledged()
    {
        await using var server = await StartAsync();
        await using (var session = await RedisSession.OpenAsync(server.ConnectionString, Cancel))
        {
            await session.ExecuteAsync(Cancel, "SET", "kept", "1");
        }

        await server.Host.KillAsync(Cancel);
        await Assert.ThrowsAsync<BackendException>(() => server.ReadSettingsAsync(Cancel));
        await server.Host.StartAgainAsync(Cancel);

        await using var again = await RedisSession.OpenAsync(server.ConnectionString, Cancel);
        Assert.Equal("1", (string?)await again.ExecuteAsync(Cancel, "GET", "kept"));
    }

    [Fact]
    public async Task Disposed_server_leaves_neither_process_nor_directory()
    {
        var server = await StartAsync();
        var id = server.Host.ProcessId!.Value;
        await server.Host.PauseAsync(Cancel);

        await server.DisposeAsync();

        Assert.False(Directory.Exists(server.Host.DirectoryPath));
        Assert.Throws<ArgumentException>(() => Process.GetProcessById(id));
    }

    [Fact]
    public async Task Directory_of_a_dead_owner_is_removed_by_the_next_start()
    {
        await SharedAsync();
        var abandoned = Path.Combine(FileSystems.OfServers, "workflow-redis-999999999-1-1");
        Directory.CreateDirectory(abandoned);

        // Of another process by now: it is left alone.
        await File.WriteAllTextAsync(Path.Combine(abandoned, "redis.pid"), "1", Cancel);

        await using var server = await StartAsync();

        Assert.False(Directory.Exists(abandoned));
        Assert.True(Directory.Exists(server.Host.DirectoryPath));
    }

    [Theory]
    [InlineData(Secret, "is not a StackExchange.Redis connection string", "bogus=" + Secret)]
    [InlineData(Secret, "host=127.0.0.1, port=1", "127.0.0.1:1,password=" + Secret)]
    public async Task Wrong_variable_is_refused_without_the_password(
        string secret, string part, string connectionString)
    {
        var start = Stopwatch.GetTimestamp();

        var failure = await Assert.ThrowsAsync<BackendException>(() =>
            RedisServer.ConnectAsync(connectionString, "WORKFLOW_PERF_REDIS", Cancel));

        AssertHolds(failure.Message, "WORKFLOW_PERF_REDIS", part);
        Assert.DoesNotContain(secret, failure.ToString(), StringComparison.Ordinal);
        Assert.InRange(Stopwatch.GetElapsedTime(start).TotalSeconds, 0, 60);
    }

    [Fact]
    public async Task Wrong_password_is_refused_and_not_repeated()
    {
        await using var server = await StartAsync();
        var wrong = server.ConnectionString.Split(',')[0] + ",password=" + Secret;

        var failure = await Assert.ThrowsAsync<BackendException>(
            () => RedisServer.ConnectAsync(wrong, "WORKFLOW_PERF_REDIS", Cancel));

        Assert.Contains("password", failure.Message, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain(Secret, failure.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Server_that_does_not_answer_is_refused_in_time()
    {
        await using var server = await StartAsync();
        await server.Host.PauseAsync(Cancel);
        var start = Stopwatch.GetTimestamp();

        await Assert.ThrowsAsync<BackendException>(
            () => RedisServer.ConnectAsync(server.ConnectionString, "WORKFLOW_PERF_REDIS", Cancel));

        Assert.InRange(Stopwatch.GetElapsedTime(start).TotalSeconds, 0, 60);
    }

    [Theory]
    [InlineData("5.0.14", true)]
    [InlineData("7.0.15", true)]
    [InlineData("10.1", true)]
    [InlineData("4.0.14", false)]
    [InlineData("unknown", false)]
    public void Version_that_is_too_old_or_unknown_does_not_serve(string version, bool serves) =>
        Assert.Equal(serves, RedisSession.Serves(version));

    [Fact]
    public async Task Named_server_serves_and_is_described_without_its_password()
    {
        await using var server = await StartAsync();

        await using var external = await RedisServer.ConnectAsync(
            server.ConnectionString, "WORKFLOW_PERF_REDIS", Cancel);

        Assert.Equal(
            (await server.ReadSettingsAsync(Cancel)).Version, (await external.ReadSettingsAsync(Cancel)).Version);
        Assert.DoesNotContain(server.ConnectionString.Split('=')[1], external.Description, StringComparison.Ordinal);
    }
}
