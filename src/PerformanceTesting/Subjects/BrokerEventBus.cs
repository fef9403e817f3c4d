using PerformanceTesting.Backends.RabbitMq;
using Workflow.Abstractions.Events;
using Workflow.Contracts.Events;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Subjects;

/// <summary>
/// A bus over a RabbitMQ broker with exchanges and a durable queue of its own, and a consumer in this process that has
/// seen a canary event before anybody publishes. The engine may be in another process: it gets <see cref="Settings"/>.
/// </summary>
public sealed class BrokerEventBus : EventBus
{
    private const string Queue = "events";
    private const string CanaryKey = "canary";
    private static readonly TimeSpan CanaryLimit = TimeSpan.FromSeconds(10);

    /// <summary>For the queue of a run that was killed, on a broker that outlives it.</summary>
    private static readonly TimeSpan QueueLife = TimeSpan.FromMinutes(30);

    private readonly RabbitMqServer _broker;
    private readonly string _prefix = RabbitMqServer.NewPrefix();
    private readonly TaskCompletionSource _canarySeen = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private RabbitMqEventBus? _bus;

    private BrokerEventBus(RabbitMqServer broker) => _broker = broker;

    public override IEventPublisher Publisher => Counting(Running.Publisher);

    /// <summary>Settings of a web service whose events come here.</summary>
    public IReadOnlyDictionary<string, string> Settings => new Dictionary<string, string>
    {
        ["IntegrationEvents:Transport"] = "RabbitMq",
        ["IntegrationEvents:ExchangePrefix"] = _prefix,
        ["ConnectionStrings:RabbitMq"] = _broker.ConnectionString,
    };

    /// <summary>How the events travel, in words for a result.</summary>
    public string Description
    {
        get
        {
            var options = Options(_ => { });
            return $"Events go over RabbitMQ {Running.BrokerVersion} "
                + $"({_broker.Host.Provision.ToString().ToLowerInvariant()}): persistent messages, a durable classic "
                + $"queue, publisher confirms with up to {options.PublishWindow} events of a lane and type on their "
                + $"way, prefetch {options.Consumer!.Prefetch}, one consumer. The consumer was bound, and had seen a "
                + "canary event, before the load began.";
        }
    }

    private RabbitMqEventBus Running => _bus ?? throw new InvalidOperationException("The bus has not started.");

    /// <summary>Starts the bus; returns once a canary event has come back from the broker.</summary>
    /// <param name="broker">Where.</param>
    /// <param name="consume">
    /// Gets each event but the canary with the monotonic ticks of the first line of the consumer's callback.
    /// </param>
    /// <exception cref="BackendException">The canary did not come back within ten seconds.</exception>
    public static async Task<BrokerEventBus> StartAsync(
        RabbitMqServer broker, Action<IntegrationEvent, long> consume, CancellationToken cancellationToken)
    {
        var bus = new BrokerEventBus(broker);
        var take = bus.Consuming(consume);
        bus._bus =
            await RabbitMqEventBus.StartAsync(bus.Options(received => bus.Take(received, take)), cancellationToken);
        try
        {
            await bus._bus.Publisher.PublishAsync(Canary(), cancellationToken);
            await bus._canarySeen.Task.WaitAsync(CanaryLimit, cancellationToken);
            return bus;
        }
        catch (TimeoutException exception)
        {
            await bus.DisposeAsync();
            throw new BackendException(
                $"{broker.Description} took a canary event and did not deliver it within {CanaryLimit.TotalSeconds} "
                + $"s.{Environment.NewLine}{await broker.Host.ReadLogTailAsync(cancellationToken)}", exception);
        }
    }

    /// <summary>Stops, and removes queue and exchanges from the broker, where it still answers.</summary>
    public override async ValueTask DisposeAsync()
    {
        await Running.DisposeAsync();
        await _broker.RemoveAsync(_prefix, typeof(IntegrationEvent), [Queue]);
    }

    private RabbitMqEventOptions Options(Action<IntegrationEvent> handle) => new()
    {
        Target = _broker.Target,
        ExchangePrefix = _prefix,
        Consumer = new(_prefix + Queue, handle) { ExpiresUnused = QueueLife },
    };

    private void Take(IntegrationEvent received, Action<IntegrationEvent> take)
    {
        if (received.CorrelationKey == CanaryKey)
        {
            _canarySeen.TrySetResult();
            return;
        }

        take(received);
    }

    private static SignalReceived Canary()
    {
        var now = TimeProvider.System.GetUtcNow();
        return new()
        {
            Id = "canary-1",
            CorrelationKey = CanaryKey,
            Name = CanaryKey,
            Timestamps =
                new() { AcceptedUtc = now, ExecutedUtc = now, AcceptedTicks = 0, ExecutedTicks = 0, TicksPerSecond = 1,
                    BootId = "" },
        };
    }
}
