using Foundation;
using LoadTesting.Core.Load.Events;
using MassTransit;
using Payments.Contracts.Events;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>
/// The test's own consumers of the service's events: notifies the awaiter, by event type and correlation key, and
/// splits the way of each event by its stamps.
/// </summary>
/// <param name="awaited">Events that somebody waits for; the others only serve the split.</param>
internal sealed class PaymentObserver(IReadOnlyList<string> awaited) : IDisposable
{
    /// <summary>The endpoint's name, without the transport's prefix.</summary>
    public const string Queue = "payment-observer";

    /// <summary>Messages that it takes at a time.</summary>
    public const int ConcurrentMessages = 256;

    private static readonly string[] Parts = ["execution", "commit", "delivery"];

    private readonly Lock _gate = new();
    private readonly Dictionary<string, LatencyHistogram> _split = new(StringComparer.Ordinal);
    private volatile EventAwaiter? _before;

    public EventAwaiter Awaiter { get; private set; } = new();

    /// <summary>
    /// Execution, commit and delivery of all events together; empty where the stamps come from another boot.
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

    /// <summary>Consumes every event, on an endpoint of its own.</summary>
    public HostReceiveEndpointHandle Connect(IBus bus, string prefix) =>
        ((IReceiveConnector)bus).ConnectReceiveEndpoint(prefix + Queue, endpoint =>
        {
            endpoint.PrefetchCount = ConcurrentMessages;
            endpoint.ConcurrentMessageLimit = ConcurrentMessages;
            Handle<PaymentInitiated>();
            Handle<PaymentCreated>();
            Handle<PaymentSettled>();
            Handle<PaymentCompleted>();

            void Handle<T>()
                where T : PaymentEvent => endpoint.Handler<T>(context =>
                {
                    var ticks = Stopwatch.GetTimestamp();
                    Observe(context.Message, ticks);
                    return Task.CompletedTask;
                });
        });

    /// <summary>Forgets what the warm-up left; what still comes of it goes to the awaiter that it had.</summary>
    public void BeginMeasuring()
    {
        Awaiter.Dispose();
        (_before, Awaiter) = (Awaiter, new EventAwaiter());
        lock (_gate)
        {
            _split.Clear();
        }
    }

    public void Dispose() => Awaiter.Dispose();

    private void Observe(PaymentEvent received, long ticks)
    {
        if (received.CorrelationKey is { } key && awaited.Contains(received.GetType().Name))
        {
            var type = received.GetType().Name;
            var awaiter = _before is { } before && before.Knows(type, key) ? before : Awaiter;
            awaiter.Observe(type, key, ticks);
        }

        if (received.Stamps.BootId == BootId.Current)
        {
            Split(received.Stamps, ticks);
        }
    }

    private void Split(EventStamps stamps, long ticks)
    {
        lock (_gate)
        {
            Add(Parts[0], stamps.AcceptedTicks, stamps.ExecutedTicks);
            Add(Parts[1], stamps.ExecutedTicks, stamps.CommittedTicks);
            Add(Parts[2], stamps.CommittedTicks, ticks);
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
