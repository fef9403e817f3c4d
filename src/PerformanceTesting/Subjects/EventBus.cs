using Workflow.Abstractions.Events;
using Workflow.Contracts.Events;

namespace PerformanceTesting.Subjects;

/// <summary>
/// What carries the events of an engine to the consumer of a test, and how long they are on their way.
/// </summary>
public abstract class EventBus : IAsyncDisposable
{
    private readonly TransitGauge _transit = new();

    /// <summary>
    /// Integral of the last events of instances that are on their way from the engine to the consumer, in event
    /// seconds.
    /// </summary>
    public double TransitSeconds => _transit.Seconds;

    /// <summary>For an engine in this process; there is none before the bus has started.</summary>
    public abstract IEventPublisher Publisher { get; }

    public abstract ValueTask DisposeAsync();

    /// <summary>Around what takes the events, so that the ticks are those of its first line.</summary>
    protected Action<IntegrationEvent> Consuming(Action<IntegrationEvent, long> consume) => received =>
    {
        var ticks = Stopwatch.GetTimestamp();
        if (EndsInstance(received))
        {
            _transit.Arrived();
        }

        consume(received, ticks);
    };

    /// <summary>Around what hands the events over.</summary>
    protected IEventPublisher Counting(IEventPublisher publisher) => new CountingPublisher(publisher, _transit);

    private static bool EndsInstance(IntegrationEvent published) =>
        published is InstanceCompleted or InstanceFailed or InstanceCancelled;

    private sealed class CountingPublisher(IEventPublisher inner, TransitGauge transit) : IEventPublisher
    {
        public int Window => inner.Window;

        public async Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            await inner.PublishAsync(integrationEvent, cancellationToken);
            if (EndsInstance(integrationEvent))
            {
                transit.Left();
            }
        }
    }
}

/// <summary>
/// How long messages were on their way, summed: the integral over time of how many are. One that is taken before its
/// sender knows that it left counts as negative for that long, which its sender's own account makes up for.
/// </summary>
internal sealed class TransitGauge
{
    private readonly Lock _gate = new();
    private long _inTransit;
    private Int128 _ticks;

    /// <summary>The integral, in message seconds.</summary>
    public double Seconds
    {
        get
        {
            lock (_gate)
            {
                return (double)(((Int128)_inTransit * Stopwatch.GetTimestamp()) - _ticks) / Stopwatch.Frequency;
            }
        }
    }

    /// <summary>One was handed over.</summary>
    public void Left() => Add(1);

    /// <summary>One was taken.</summary>
    public void Arrived() => Add(-1);

    private void Add(int count)
    {
        lock (_gate)
        {
            _inTransit += count;
            _ticks += (Int128)count * Stopwatch.GetTimestamp();
        }
    }
}
