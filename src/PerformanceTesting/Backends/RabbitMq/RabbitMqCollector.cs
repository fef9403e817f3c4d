namespace PerformanceTesting.Backends.RabbitMq;

/// <summary>
/// Counts what a broker does between two moments, from its Prometheus plugin, whose counters are exact; looks once a
/// second for the greatest depth and memory in between. It counts the whole broker.
/// </summary>
public sealed class RabbitMqCollector : ICollector
{
    private const string Memory = "rabbitmq_process_resident_memory_bytes";
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    // Of the node: those of queues go with their queues.
    private static readonly string[] Counters =
    [
        .. new[] { "received", "confirmed", "routed", "delivered", "redelivered", "acknowledged", "unroutable_dropped" }
            .Select(name => $"rabbitmq_global_messages_{name}_total"),
        "rabbitmq_io_sync_ops_total", "rabbitmq_io_write_bytes_total",
    ];

    private static readonly (string, IReadOnlyList<string>)[] PerOperation =
    [
        ("messagesPublished", ["rabbitmq_global_messages_received_total"]),
        ("messagesConfirmed", ["rabbitmq_global_messages_confirmed_total"]),
        ("messagesDelivered", ["rabbitmq_global_messages_delivered_total"]),
        ("messagesRedelivered", ["rabbitmq_global_messages_redelivered_total"]),
    ];

    private readonly Uri _address;
    private readonly RabbitMqCounters? _before;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _looking;
    private double _depth;
    private double _memoryBytes;
    private int _looks;

    private RabbitMqCollector(Uri address, RabbitMqCounters? before)
    {
        _address = address;
        _before = before;
        Look(before);
        _looking = before is null ? Task.CompletedTask : LookAsync();
    }

    public static async Task<RabbitMqCollector> StartAsync(Uri metricsAddress, CancellationToken cancellationToken) =>
        new(metricsAddress, await RabbitMqCounters.TryReadAsync(metricsAddress, cancellationToken));

    /// <returns>
    /// Differences under the plugin's own names, greatest depth and memory; where the page cannot be read, only a note.
    /// </returns>
    public async Task<CollectedCounters> StopAsync(CancellationToken cancellationToken)
    {
        await EndLookingAsync();
        var after = _before is null ? null : await RabbitMqCounters.TryReadAsync(_address, cancellationToken);
        if (_before is null || after is null)
        {
            return CollectedCounters.Nothing(
                $"Null: rabbitmq: {_address} does not answer. rabbitmq-plugins enable rabbitmq_prometheus on the broker.");
        }

        Look(after);
        if (Array.Exists(Counters, name => after.Of(name) < _before.Of(name)))
        {
            return CollectedCounters.Nothing(
                "Null: rabbitmq: the broker was restarted while it was watched, and its counters were reset.");
        }

        var raw = Counters
            .Where(after.Values.ContainsKey)
            .ToDictionary(name => name, name => after.Of(name) - _before.Of(name), StringComparer.Ordinal);
        raw["rabbitmq.queueDepth.max"] = _depth;
        raw[Memory + ".max"] = _memoryBytes;
        string[] notes =
        [
            $"rabbitmq: counted for the whole broker; the depth (routed less acknowledged) and the memory are the "
                + $"greatest of {_looks} readings.",
        ];
        return new CollectedCounters(raw, [], Statements: null, notes) { PerOperation = PerOperation };
    }

    public async ValueTask DisposeAsync()
    {
        await EndLookingAsync();
        _stop.Dispose();
    }

    private async Task EndLookingAsync()
    {
        await _stop.CancelAsync();
        await _looking.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task LookAsync()
    {
        using var timer = new PeriodicTimer(Interval);
        while (await timer.WaitForNextTickAsync(_stop.Token))
        {
            Look(await RabbitMqCounters.TryReadAsync(_address, _stop.Token));
        }
    }

    private void Look(RabbitMqCounters? page)
    {
        if (page is not null)
        {
            _depth = Math.Max(_depth, page.Depth);
            _memoryBytes = Math.Max(_memoryBytes, page.Of(Memory));
            _looks++;
        }
    }
}
