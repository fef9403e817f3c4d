using StackExchange.Redis;
using Workflow.Events.MassTransit;

namespace IntegrationTests.Containers;

/// <summary>Redis and RabbitMQ in containers: durable, and back with what they acknowledged.</summary>
public sealed class ContainerBrokerAndCacheTests : ContainerTests
{
    [Fact]
    public async Task Redis_container_keeps_what_it_acknowledged_over_a_kill()
    {
        await using var server =
            await RedisServer.StartContainerAsync(Engine, await ImageAsync(ServerKind.Redis), Cancel);
        await using (var session = await RedisSession.OpenAsync(server.ConnectionString, Cancel))
        {
            await session.ExecuteAsync(Cancel, "SET", "kept", "1");
        }

        await server.Host.KillAsync(Cancel);
        await Assert.ThrowsAnyAsync<RedisException>(() => RedisSession.OpenAsync(server.ConnectionString, Cancel));
        await server.Host.StartAgainAsync(Cancel);

        await using var again = await RedisSession.OpenAsync(server.ConnectionString, Cancel);
        Assert.Equal("1", (string?)await again.ExecuteAsync(Cancel, "GET", "kept"));
        var settings = await server.ReadSettingsAsync(Cancel);
        Assert.Equal("durable", settings.Durability);
        Assert.Equal("always", settings.Settings["appendfsync"]);
        Assert.True((await server.Host.Container!.ReadUsageAsync(Cancel))!.MemoryBytes > 0);
    }

    [Fact]
    public async Task RabbitMq_container_reports_metrics_and_survives_a_kill()
    {
        await using var server =
            await RabbitMqServer.StartContainerAsync(Engine, await ImageAsync(ServerKind.RabbitMq), Cancel);
        await server.Host.KillAsync(Cancel);

        await server.Host.StartAgainAsync(Cancel);

        Assert.Matches(@"^\d+\.\d+", await RabbitMqBroker.ProbeAsync(server.Target, Cancel));
        Assert.NotNull(await RabbitMqCounters.TryReadAsync(server.MetricsAddress, Cancel));
        Assert.Equal("on", (await server.ReadSettingsAsync(Cancel)).Settings["publisher confirms"]);
    }
}
