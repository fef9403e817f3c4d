namespace PerformanceTesting.Measurement;

/// <summary>
/// Your service, which runs in another process and is reached over HTTP. Derive from this class to start and stop the
/// service, and report each of its events to <see cref="Observe"/>.
/// </summary>
public abstract class ServiceUnderTest : IMeasuredSystem
{
    private readonly TimeProvider _timeProvider;
    private EventAwaiter _awaiter;
    private EventAwaiter? _before;

    protected ServiceUnderTest()
        : this(TimeProvider.System)
    {
    }

    /// <param name="timeProvider">
    /// Clock and timer of the waits for its events; its timestamps are those that events are given.
    /// </param>
    internal ServiceUnderTest(TimeProvider timeProvider) =>
        (_timeProvider, _awaiter) = (timeProvider, new EventAwaiter(timeProvider: timeProvider));

    public HostingKind Hosting => HostingKind.Http;

    /// <summary>
    /// Its process on this machine, for reports of processor time and memory. 0 (the default) if it is not known.
    /// </summary>
    public virtual int ProcessId => 0;

    public EventAwaiter Awaiter => Volatile.Read(ref _awaiter);

    public IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit => [];

    /// <summary>
    /// What it runs on: product, version, and above all durability, in your words. Runs whose durability differs are
    /// never ranked, nor gated against each other.
    /// </summary>
    public abstract BackendInfo Describe();

    /// <summary>
    /// Reports an event of the service. Take the timestamp in the first line of the consumer's callback.
    /// </summary>
    /// <param name="eventType">The event's type.</param>
    /// <param name="key">The key of the operation that it belongs to.</param>
    /// <param name="timestamp">A <see cref="Stopwatch.GetTimestamp"/> value.</param>
    public void Observe(string eventType, string key, long timestamp)
    {
        // Late events of the warm-up are not part of the result.
        var awaiter = Volatile.Read(ref _before) is { } before && before.Knows(eventType, key) ? before : Awaiter;
        awaiter.Observe(eventType, key, timestamp);
    }

    public void BeginMeasuring()
    {
        Awaiter.Dispose();
        Volatile.Write(ref _before, Awaiter);
        Volatile.Write(ref _awaiter, new EventAwaiter(timeProvider: _timeProvider));
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await StopAsync();
        }
        finally
        {
            Awaiter.Dispose();
            GC.SuppressFinalize(this);
        }
    }

    /// <summary>Stops the service, and the consumers of its events. Default: does nothing.</summary>
    protected virtual ValueTask StopAsync() => ValueTask.CompletedTask;

    /// <summary>
    /// Starts a service and sets up a measurement of it: host, generator and, where its process is known, service are
    /// watched.
    /// </summary>
    /// <param name="start">Starts the service, or connects to one that runs.</param>
    /// <param name="scenario">Makes the scenario.</param>
    /// <param name="cancellationToken">Ends the wait for the service.</param>
    public static async Task<Arrangement> ArrangeAsync<TService>(
        Func<CancellationToken, Task<TService>> start, Func<TService, ServiceScenario> scenario,
        CancellationToken cancellationToken)
        where TService : ServiceUnderTest
    {
        var service = await start(cancellationToken);
        try
        {
            var measured = scenario(service);
            return new Arrangement(
                service, [measured],
                [new EventCount(service, measured.CompletionEvent), new HostObserver(service),
                    new ProcessObserver(service.ProcessId)]);
        }
        catch
        {
            await service.DisposeAsync();
            throw;
        }
    }
}

/// <summary>
/// How many events the service publishes for an operation, as they are heard here: a cost that hardly depends on the
/// machine, by which a stored run gates another one. Those that end an operation come for the operations alone.
/// </summary>
/// <param name="completionEvent">Type of the events that end an operation; null where none does.</param>
internal sealed class EventCount(ServiceUnderTest service, string? completionEvent) : IRunObserver
{
    private const string Figure = "messagesPublished";
    private const string UnexpectedEvents = "unexpectedEvents";

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void AddTo(RunEvidence evidence)
    {
        if (completionEvent is not null)
        {
            var unasked = service.Awaiter.CountUnexpected(completionEvent);
            evidence.Checks.Add(CheckResult.AtMost(
                UnexpectedEvents, CheckSubject.System, unasked, 0,
                $"{unasked} of the events {completionEvent} came for keys of no running operation; 0 are allowed"));
        }

        if (evidence.Events.Observed > 0 && evidence.Completed > 0)
        {
            evidence.Backend = new BackendCounters
            {
                Raw = new Dictionary<string, double> { ["events.heard"] = evidence.Events.Observed },
                PerOperation = new Dictionary<string, double?>
                    { [Figure] = (double)evidence.Events.Observed / evidence.Completed },
                Sources = new Dictionary<string, string> { [Figure] = "events heard by the tests" },
            };
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
