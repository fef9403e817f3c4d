using IntegrationTests.Network;
using Workflow.Events.MassTransit;

namespace IntegrationTests.RabbitMq;

/// <summary>A network that fails between a bus and its broker, again and again while the bus publishes.</summary>
[Trait("Category", "Extended")]
public sealed class BrokerLinkTests(BackendFixture backends)
{
    private const int EventsBetween = 300;
    private static readonly TimeSpan Outage = TimeSpan.FromMilliseconds(300);

    [Theory]
    [InlineData(Cut.Closed, 4), InlineData(Cut.Reset, 4), InlineData(Cut.Silent, 1)]
    public async Task Bus_publishes_again_after_a_network_cut(Cut cut, int outages)
    {
        var broker = (RabbitMqServer)await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
        await using var link = new TcpLink { ServerPort = broker.Target.Port };
        var address =
            broker.ConnectionString.Replace($":{broker.Target.Port}", $":{link.Port}", StringComparison.Ordinal);
        Assert.True(RabbitMqTarget.TryParse(address, out var target, out var problem), problem);
        var options = new RabbitMqEventOptions
        {
            Target = target,
            ExchangePrefix = RabbitMqServer.NewPrefix(),
            PublishTimeout = TimeSpan.FromSeconds(2),
        };
        await using var bus = await RabbitMqEventBus.StartAsync(options, Cancel);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var confirmed = 0L;
        var failures = new ConcurrentQueue<Exception>();
        var publishers = Enumerable.Range(0, 2 * options.PublishWindow).Select(n => PublishAsync(n % 2 == 0)).ToArray();

        try
        {
            await UntilConfirmedAsync("before an outage");
            for (var outage = 1; outage <= outages; outage++)
            {
                link.CutAll(cut);
                await Task.Delay(Outage, Cancel);
                link.Restore();
                await UntilConfirmedAsync($"after outage {outage}");
            }
        }
        finally
        {
            await stop.CancelAsync();
            await Task.WhenAll(publishers);
        }

        await broker.RemoveAsync(options.ExchangePrefix, typeof(IntegrationEvent), []);

        Task UntilConfirmedAsync(string when)
        {
            var wanted = Interlocked.Read(ref confirmed) + EventsBetween;
            return Eventually.BecomesAsync(
                () => Task.FromResult(Interlocked.Read(ref confirmed)), seen => seen >= wanted,
                seen => $"{wanted - seen} more confirmations {when}; the last failure: {failures.LastOrDefault()?.Message}");
        }

        async Task PublishAsync(bool isSignal)
        {
            for (var next = Event(isSignal); !stop.IsCancellationRequested;)
            {
                try
                {
                    await bus.Publisher.PublishAsync(next, stop.Token);
                    Interlocked.Increment(ref confirmed);
                }
                catch (Exception exception)
                {
                    failures.Enqueue(exception);
                }
            }
        }
    }

    /// <summary>One of two types, each of which has its own channel.</summary>
    private static IntegrationEvent Event(bool isSignal)
    {
        var times = new EventTimestamps
        {
            AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 0, ExecutedTicks = 0, TicksPerSecond = 1,
            BootId = "",
        };
        return isSignal
            ? new SignalReceived { Id = "signal", CorrelationKey = "key", Name = "signal", Timestamps = times }
            : new InstanceCompleted { Id = "completed", CorrelationKey = "key", Timestamps = times };
    }
}
