using LoadTesting.Core.Load.Events;
using LoadTesting.Core.Load.Watches;
using Workflow.Contracts.Events;

namespace PerformanceTesting.Subjects;

/// <summary>
/// What the consumers of a subject report to: notifies the awaiter, by event type and correlation key, and splits the
/// way of each event by the service's own stamps. Events of other runs on the same bus are distinguished by their key.
/// </summary>
public sealed class EventObserver : IDisposable
{
    private static readonly string[] Parts = ["queueWait", "execution", "commit", "publish", "delivery"];

    private readonly Dictionary<string, LatencyHistogram> _split = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, FollowedEvents> _followed = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();
    private volatile bool _measuring;
    private volatile string _bootId = "";
    private volatile EventAwaiter? _before;
    private long _deliveryTicks;
    private long _deliveries;
    private long _consumerTicks;

    /// <summary>Waits by event type and correlation key.</summary>
    public EventAwaiter Awaiter { get; private set; } = new();

    /// <summary>
    /// Queue wait, execution, commit, publish and delivery, in this order; empty where the stamps come from another
    /// boot.
    /// </summary>
    public IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit
    {
        get
        {
            lock (_gate)
            {
                return [.. Parts.Where(_split.ContainsKey).Select(part => KeyValuePair.Create(part, _split[part]))];
            }
        }
    }

    /// <summary>How long deliveries and the consumer have taken until now.</summary>
    public SystemSums Sums
    {
        get
        {
            lock (_gate)
            {
                return new SystemSums
                {
                    DeliverySeconds = Stopwatch.GetElapsedTime(0, _deliveryTicks).TotalSeconds,
                    Deliveries = _deliveries,
                    ConsumerSeconds = Stopwatch.GetElapsedTime(0, Interlocked.Read(ref _consumerTicks)).TotalSeconds,
                    Consumers = Consumers,
                };
            }
        }
    }

    /// <summary>Events that are taken at a time. Default 1.</summary>
    public int Consumers { get; set; } = 1;

    /// <summary>A fault on purpose; null by default.</summary>
    public IPlantedFault? Fault { get; set; }

    /// <summary>Whether this process accounts for a correlation key. Null (the default) for all keys.</summary>
    public Func<string, bool>? Owns { get; set; }

    /// <summary>The takeover of the lanes of a killed node. Null (the default) while none was killed.</summary>
    internal Takeover? Takeover { get; set; }

    /// <summary>
    /// Forgets what was before, and measures from now on. What still comes of operations of the measurement before goes
    /// to the awaiter that they had.
    /// </summary>
    public void BeginMeasuring(string ownBootId)
    {
        Awaiter.Dispose();
        (_before, Awaiter) = (Awaiter, new EventAwaiter());
        lock (_gate)
        {
            _split.Clear();
        }

        _bootId = ownBootId;
        _measuring = true;
    }

    /// <summary>An event has arrived; the ticks are those of the first line of the callback.</summary>
    public void Observe(IntegrationEvent received, long ticks)
    {
        Handle(received, ticks);
        Interlocked.Add(ref _consumerTicks, Stopwatch.GetTimestamp() - ticks);
    }

    private void Handle(IntegrationEvent received, long ticks)
    {
        if (Owns is { } owns && received.CorrelationKey is { } key && !owns(key))
        {
            return;
        }

        if (Fault is { } fault)
        {
            if (!fault.Delivers(received))
            {
                return;
            }

            if (fault.DelayOf(received) is { } delay)
            {
                _ = ConsumeAgainAsync(received, delay);
                return;
            }

            if (fault.DeliversAgainWhen(received) is { } moment)
            {
                _ = ConsumeAgainAsync(received, moment);
            }
        }

        Consume(received, ticks);
    }

    private async Task ConsumeAgainAsync(IntegrationEvent received, Task moment)
    {
        await moment;
        Consume(received, Stopwatch.GetTimestamp());
    }

    private void Consume(IntegrationEvent received, long ticks)
    {
        // All before the awaiter, so that the scenario finds the event here when it goes on.
        Takeover?.Observe(received, ticks);
        if (_measuring && received is InstanceCompleted or SignalReceived && received.Timestamps.BootId == _bootId)
        {
            Split(received.Timestamps, ticks);
        }

        if (received.CorrelationKey is not null)
        {
            if (_followed.TryGetValue(received.CorrelationKey, out var followed))
            {
                followed.Add(received);
            }

            var awaiter = _before is { } before && before.Knows(received.Type, received.CorrelationKey)
                ? before
                : Awaiter;
            awaiter.Observe(received.Type, received.CorrelationKey, ticks, SequenceOf(received.Id));
        }
    }

    /// <summary>
    /// Keeps the events of a correlation key, content and all, until the result is disposed. A key is followed once at
    /// a time.
    /// </summary>
    public FollowedEvents Follow(string correlationKey)
    {
        var followed = new FollowedEvents(() => _followed.TryRemove(correlationKey, out _));
        return _followed.TryAdd(correlationKey, followed)
            ? followed
            : throw new InvalidOperationException($"Key '{correlationKey}' is followed already.");
    }

    public void Dispose() => Awaiter.Dispose();

    /// <summary>The place that an event's id names; null for an id of another form.</summary>
    internal static EventSequence? SequenceOf(string id)
    {
        var dash = id.IndexOf('-', StringComparison.Ordinal);
        return dash > 0 && long.TryParse(id.AsSpan(dash + 1), out var number)
            ? new EventSequence(id[..dash], number)
            : null;
    }

    private void Split(EventTimestamps stamps, long ticks)
    {
        lock (_gate)
        {
            Add(Parts[0], stamps.AcceptedTicks, stamps.ExecutedTicks - stamps.ExecutionTicks);
            Add(Parts[1], stamps.ExecutedTicks - stamps.ExecutionTicks, stamps.ExecutedTicks);
            Add(Parts[2], stamps.ExecutedTicks, stamps.CommittedTicks);
            Add(Parts[3], stamps.CommittedTicks, stamps.PublishedTicks);
            Add(Parts[4], stamps.PublishedTicks, ticks);
            if (stamps.CommittedTicks is { } committed)
            {
                _deliveryTicks += Math.Max(0, ticks - committed);
                _deliveries++;
            }
        }
    }

    private void Add(string part, long? from, long? to)
    {
        if (from is { } start && to is { } end)
        {
            _split.TryAdd(part, new LatencyHistogram());
            _split[part].RecordStopwatchTicks(Math.Max(0, end - start));
        }
    }
}
