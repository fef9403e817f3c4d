namespace PerformanceTesting.Measurement;

/// <summary>A system under test that has started, as a measurement sees it.</summary>
public interface IMeasuredSystem : IAsyncDisposable
{
    /// <summary>In process, or over HTTP.</summary>
    HostingKind Hosting { get; }

    /// <summary>The process that the service runs in; this one in process.</summary>
    int ProcessId { get; }

    /// <summary>Where its processes have a page <c>/metrics</c>; none by default.</summary>
    IReadOnlyList<Uri> Services => [];

    /// <summary>Where its events are awaited; a new one after <see cref="BeginMeasuring"/>.</summary>
    EventAwaiter Awaiter { get; }

    /// <summary>The service's own split of its time, by part, in order; empty where its clock is another.</summary>
    IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit { get; }

    /// <summary>
    /// Whether the transport promises that the events of a stream come in their order. Default: it does not.
    /// </summary>
    bool EventsAreOrdered => false;

    /// <summary>
    /// Deliveries of the warm-up that are missing or came twice, if <see cref="Awaiter"/> does not count them. Default:
    /// none.
    /// </summary>
    (long Lost, long Duplicate) WarmUpDeliveries => (0, 0);

    /// <summary>Forgets what the warm-up left, and measures from now on.</summary>
    void BeginMeasuring();

    /// <summary>
    /// Waits for the last event that the idle system has sent, if its transport tells which one that is. Default: does
    /// not wait.
    /// </summary>
    /// <returns>The events that did not come in time; null if all came.</returns>
    Task<string?> WaitForEventsAsync(CancellationToken cancellationToken) => Task.FromResult<string?>(null);
}
