namespace IntegrationTests.Redis;

[Trait("Category", "Integration")]
public sealed class RedisCollectorTests(BackendFixture fixture) : RedisTests(fixture)
{
    private const int Calls = 500;

    [Fact]
    public async Task Commands_between_the_snapshots_are_counted_to_the_unit()
    {
        await using var server = await StartAsync();
        await using var session = await RedisSession.OpenAsync(server.ConnectionString, Cancel);
        await session.ExecuteAsync(Cancel, "PUBLISH", "somewhere", "before");
        await using var collector = await RedisCollector.StartAsync(server.ConnectionString, Cancel);
        for (var i = 0; i < Calls; i++)
        {
            await session.ExecuteAsync(Cancel, "PUBLISH", "somewhere", "message");
        }

        await Assert.ThrowsAsync<StackExchange.Redis.RedisServerException>(
            () => session.ExecuteAsync(Cancel, "HGET", "too-few-arguments"));

        var (raw, _, _, notes) = await collector.StopAsync(Cancel);

        Assert.Equal(Calls, raw["redis.commandstats.publish.calls"]);
        Assert.InRange(raw["redis.commandstats.publish.usec"], 1, double.MaxValue);
        Assert.InRange(raw["redis.stats.total_net_input_bytes"], Calls * 20, double.MaxValue);
        Assert.Equal(1, raw["redis.errorstats.ERR.count"]);
        Assert.InRange(raw["redis.latency.publish.p99UpperMicroseconds"],
            raw["redis.latency.publish.p50UpperMicroseconds"], 1_000_000);
        Assert.DoesNotContain(notes, note => note.StartsWith("Null", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Restarted_server_gives_notes_instead_of_wrong_numbers()
    {
        await using var server = await StartAsync();
        await using var restarted = await RedisCollector.StartAsync(server.ConnectionString, Cancel);
        await server.Host.KillAsync(Cancel);
        var (gone, _, _, gonesNotes) = await restarted.StopAsync(Cancel);
        await server.Host.StartAgainAsync(Cancel);
        var (anew, anewsNotes) = await UntilAnsweredAsync(restarted);

        Assert.Empty(gone);
        Assert.Contains("cannot be asked any more", Assert.Single(gonesNotes), StringComparison.Ordinal);
        Assert.Empty(anew);
        Assert.Contains("was restarted", Assert.Single(anewsNotes), StringComparison.Ordinal);
    }

    /// <summary>The library connects again by itself, within a second or two.</summary>
    private static async Task<(IReadOnlyDictionary<string, double> Raw,
        IReadOnlyList<string> Notes)> UntilAnsweredAsync(
        RedisCollector collector)
    {
        var answer = await Eventually.BecomesAsync(
            () => collector.StopAsync(Cancel),
            counted => !counted.Notes[0].Contains("cannot be asked", StringComparison.Ordinal),
            counted => $"an answer: {counted.Notes[0]}");
        return (answer.Raw, answer.Notes);
    }

    [Fact]
    public async Task Spike_within_the_window_is_reported()
    {
        await using var server = await StartAsync();
        await using var session = await RedisSession.OpenAsync(server.ConnectionString, Cancel);
        await using var collector = await RedisCollector.StartAsync(server.ConnectionString, Cancel);

        await session.ExecuteAsync(Cancel, "EVAL", "local x = 0 for i = 1, 20000000 do x = x + i end return 1", "0");

        Assert.Contains((await collector.StopAsync(Cancel)).Notes, note =>
            note.StartsWith("redis: LATENCY LATEST: command took", StringComparison.Ordinal));
    }
}
