using System.Net;
using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Measurement;

/// <summary>
/// A service of your own, which runs in another process and is reached over HTTP. Whoever hears its events reports each of them to
/// <see cref="Observe"/>. Derive from it to start and stop what belongs to it.
/// </summary>
public abstract class ServiceUnderTest : IMeasuredSystem
{
    private readonly TimeProvider _timeProvider;
    private EventAwaiter _awaiter;
    private EventAwaiter? _before;

    /// <summary>A service whose events nobody waits for yet.</summary>
    protected ServiceUnderTest()
        : this(TimeProvider.System)
    {
    }

    /// <param name="timeProvider">Clock and timer of the waits for its events; its timestamps are those that events are given.</param>
    internal ServiceUnderTest(TimeProvider timeProvider) =>
        (_timeProvider, _awaiter) = (timeProvider, new EventAwaiter(timeProvider: timeProvider));

    public HostingKind Hosting => HostingKind.Http;

    /// <summary>
    /// Its process on this machine; 0, the default, where that is not known: nothing is then reported of its processors and memory.
    /// </summary>
    public virtual int ProcessId => 0;

    public EventAwaiter Awaiter => Volatile.Read(ref _awaiter);

    public IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit => [];

    /// <summary>
    /// What it runs on: product, version, and above all durability, in your words. Runs whose durability differs are never ranked, nor
    /// gated against each other.
    /// </summary>
    public abstract BackendInfo Describe();

    /// <summary>Reports an event of the service. Take the timestamp in the first line of the consumer's callback.</summary>
    /// <param name="eventType">The event's type.</param>
    /// <param name="key">The key of the operation that it belongs to.</param>
    /// <param name="timestamp">A <see cref="Stopwatch.GetTimestamp"/> value.</param>
    public void Observe(string eventType, string key, long timestamp)
    {
        // What still comes of the warm-up is no part of the result.
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

    /// <summary>Ends what was started for the service, and the consumers of its events. Default: nothing.</summary>
    protected virtual ValueTask StopAsync() => ValueTask.CompletedTask;

    /// <summary>
    /// Starts a service and sets up a measurement of it: host, generator and, where its process is known, service are watched.
    /// </summary>
    /// <param name="start">Starts the service, or connects to one that runs.</param>
    /// <param name="scenario">Makes the scenario.</param>
    /// <param name="cancellationToken">Ends the wait for the service.</param>
    public static async Task<Arrangement> ArrangeAsync<TService>(
        Func<CancellationToken, Task<TService>> start, Func<TService, ServiceScenario> scenario, CancellationToken cancellationToken)
        where TService : ServiceUnderTest
    {
        ArgumentNullException.ThrowIfNull(start);
        ArgumentNullException.ThrowIfNull(scenario);
        var service = await start(cancellationToken);
        try
        {
            var measured = scenario(service);
            return new Arrangement(
                service, [measured],
                [new EventCount(service, measured.CompletionEvent), new HostObserver(service), new ProcessObserver(service.ProcessId)]);
        }
        catch
        {
            await service.DisposeAsync();
            throw;
        }
    }
}

/// <summary>
/// A scenario of a service of your own: what one operation does is in <see cref="RunAsync(ServiceOperation)"/>. Each operation has a key,
/// which its requests and its events carry.
/// </summary>
/// <param name="name">
/// Without the profile. Times gate only where it ends with <c>-xl</c>: give such a load 1,000 operations or more.
/// </param>
/// <param name="tier">Value of the trait <c>Category</c>. In <c>Smoke</c> times never fail a test.</param>
/// <param name="load">The measured load.</param>
public abstract class ServiceScenario(string name, string tier, params IReadOnlyList<LoadSimulation> load) : MeasuredScenario
{
    private const int WarmUpCopies = 4;

    /// <summary>At so few a second a p99 is one operation or two: lateness needs more of them to be the generator's.</summary>
    private const int SamplesInTail = 10;

    public override string FullName => $"{Profile}-{name}";

    /// <summary>What the service runs on, in a word: results are named after it. Default <c>service</c>.</summary>
    public override string Profile => "service";

    public override string Tier => tier;

    /// <summary>What it answers, for a reader of the report.</summary>
    public abstract string Question { get; }

    /// <summary>The event that ends an operation; null, the default, where its last answer does.</summary>
    public virtual string? CompletionEvent => null;

    /// <summary>How long that event may take to come; then it is lost. Default 30 s.</summary>
    public virtual TimeSpan EventTimeout => TimeSpan.FromSeconds(30);

    /// <summary>What an operation sends, as far as it matters to a comparison: results compare only when it is equal.</summary>
    public virtual IReadOnlyList<string> Content => [];

    /// <summary>Operations before the measured ones, four at a time. Default 40.</summary>
    public int WarmUpOperations { get; init; } = 40;

    /// <summary>What the result is held to; nothing by default.</summary>
    public IReadOnlyList<Threshold> Limits { get; init; } = [];

    /// <summary>The load says how many there are.</summary>
    public override int Operations => 0;

    public override int? Concurrency => load.OfType<ClosedSimulation>().Select(closed => (int?)closed.Copies).Max();

    public override IReadOnlyList<LoadSimulation> Load => load;

    public override IReadOnlyList<LoadSimulation> WarmUp => WarmUpOperations == 0
        ? []
        : [Simulation.IterationsForConstant(Math.Min(WarmUpCopies, WarmUpOperations), WarmUpOperations)];

    public override LoadOptions Options => new()
    {
        CompletionTimeout = EventTimeout + TimeSpan.FromSeconds(5),
        HealthLimits = new() { MinimumSamplesInTail = SamplesInTail },
    };

    public override IReadOnlyList<Threshold> Thresholds => Limits;

    /// <summary>A duplicate comes after its event.</summary>
    public override TimeSpan ListensOnFor => CompletionEvent is null ? TimeSpan.Zero : TimeSpan.FromMilliseconds(200);

    public override string ContentHash =>
        LoadTesting.Core.Results.ContentHash.Of([GetType().Name, CompletionEvent ?? "", .. Phases, .. Content]);

    public override IReadOnlyList<string> Notes =>
    [
        Question,
        $"Warmed up with {WarmUpOperations} operations that are not part of the result.",
        "Latency of an open load is from the intended start; phases are from their actual start, and overlap.",
    ];

    protected abstract Task<IResponse> RunAsync(ServiceOperation operation);

    public override async Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch)
    {
        ArgumentNullException.ThrowIfNull(context);
        ArgumentNullException.ThrowIfNull(batch);
        var operation = new ServiceOperation(context, batch);
        try
        {
            return await RunAsync(operation);
        }
        finally
        {
            operation.Leave();
        }
    }

    public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
    {
        CompletionEvent = CompletionEvent,
        Size = operations,
        Timeout = EventTimeout,
        Shape = BatchShape.Continuous,
        // All that is known of a foreign service is that each of its operations came to its end.
        WaitForIdleAsync = (_, _) => Task.FromResult(Stopwatch.GetTimestamp()),
    };
}

/// <summary>One operation on a service: sends its requests, awaits its event and accounts for both.</summary>
public sealed class ServiceOperation
{
    private readonly IScenarioContext _context;
    private readonly OperationBatch _batch;
    private readonly Operation _operation;
    private long _sent;

    internal ServiceOperation(IScenarioContext context, OperationBatch batch) =>
        (_context, _batch, _operation) = (context, batch, batch.Begin(context.IntendedTimestamp));

    /// <summary>Unique; requests and events of the operation carry it. The wait for its event has begun.</summary>
    public string Key => _operation.Key;

    /// <summary>Cancelled when the run is cut.</summary>
    public CancellationToken CancellationToken => _context.ScenarioCancellationToken;

    /// <summary>The iteration, for further steps.</summary>
    public IScenarioContext Context => _context;

    /// <summary>
    /// Sends the request that makes the operation exist, as a step. 200 to 299 accepts it; 400 to 499 and 503 refuse it, so that it has no
    /// effect and no event; after any other answer, and after none, nobody knows. All but the first end the operation as failed.
    /// </summary>
    /// <param name="step">Name of the step, and of the phase.</param>
    public async Task SendAsync(string step, Func<CancellationToken, Task<HttpResponseMessage>> send)
    {
        ArgumentNullException.ThrowIfNull(send);
        _sent = Stopwatch.GetTimestamp();
        await Step.Run(step, _context, async () =>
        {
            var status = await _batch.SendAsync(
                _operation,
                async () =>
                {
                    using var response = await send(CancellationToken);
                    return response.IsSuccessStatusCode || IsRefusal(response.StatusCode)
                        ? response.StatusCode
                        : throw new HttpRequestException(
                            $"{step} was answered with {(int)response.StatusCode}, which leaves open whether it has an effect.");
                },
                isAccepted: answer => !IsRefusal(answer));
            return IsRefusal(status) ? Response.Fail($"{(int)status}", $"{step} was refused") : Response.Ok($"{(int)status}");
        });
    }

    /// <summary>Awaits the scenario's completion event, which ends the operation.</summary>
    /// <param name="phase">Name of the phase from just before the request left to the first line of the event's consumer.</param>
    public async Task<IResponse> CompletedByEventAsync(string phase)
    {
        var arrival = await _operation.Completion.Arrival;
        _context.RecordStep(phase, _sent, arrival.Timestamp, isOk: !arrival.IsLost);
        await _batch.EndAsync(_operation, CancellationToken);
        return arrival.IsLost
            ? Response.Fail("lost", $"no event for {Key} in time")
            : Response.Ok(endTimestamp: arrival.Timestamp);
    }

    /// <summary>The last answer ended the operation.</summary>
    public IResponse Completed()
    {
        var now = Stopwatch.GetTimestamp();
        _batch.Complete(_operation, now);
        return Response.Ok(endTimestamp: now);
    }

    internal void Leave() => _batch.Leave(_operation);

    private static bool IsRefusal(HttpStatusCode status) => (int)status is (>= 400 and < 500) or 503;
}

/// <summary>
/// How many events the service publishes for an operation, as they are heard here: a cost that hardly depends on the machine, by which a
/// stored run gates another one. Those that end an operation come for the operations alone.
/// </summary>
/// <param name="completionEvent">Type of the events that end an operation; null where none does.</param>
internal sealed class EventCount(ServiceUnderTest service, string? completionEvent) : IRunObserver
{
    private const string Figure = "messagesPublished";
    private const string UnexpectedEvents = "unexpectedEvents";

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence)
    {
        if (completionEvent is not null)
        {
            var unasked = service.Awaiter.Unasked(completionEvent);
            evidence.Checks.Add(CheckResult.AtMost(
                UnexpectedEvents, CheckSubject.System, unasked, 0,
                $"{unasked} of the events {completionEvent} came for keys that no operation had, or no longer; 0 are allowed"));
        }

        return evidence.Events.Observed == 0 || evidence.Completed == 0
            ? result
            : result with
            {
                Backend = new BackendCounters
                {
                    Raw = new Dictionary<string, double> { ["events.heard"] = evidence.Events.Observed },
                    PerOperation = new Dictionary<string, double?> { [Figure] = (double)evidence.Events.Observed / evidence.Completed },
                    Sources = new Dictionary<string, string> { [Figure] = "events heard by the tests" },
                },
            };
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}

/// <summary>Watches the processes of the generator and of a service beside it, and judges which of them takes the response time.</summary>
/// <param name="serviceProcessId">The service's process; 0 where it is not known.</param>
public sealed class ProcessObserver(int serviceProcessId) : IRunObserver, ITimelineSource
{
    private const string Generator = "generator";
    private const string Service = "service";

    private readonly ProcessTimeline _timeline = new(serviceProcessId == 0 ? [] : [serviceProcessId]);
    private ProcessUsageWatch? _watch;
    private ResourceObservation? _seen;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        WatchedProcess generator = new(Generator, Environment.ProcessId);
        _watch = serviceProcessId == 0
            ? ProcessUsageWatch.Start(generator)
            : ProcessUsageWatch.Start(generator, new WatchedProcess(Service, serviceProcessId));
        return Task.CompletedTask;
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        var report = await _watch!.StopAsync();
        _seen = new ResourceObservation
        {
            Duration = report.Duration,
            IsInProcess = false,
            Generator = report.Processes.GetValueOrDefault(Generator),
            Service = report.Processes.GetValueOrDefault(Service),
            MachineCpuSeconds = report.MachineCpuSeconds,
            WhyNoDatabase = "What the service keeps its data in is not watched.",
            Notes = report.Notes,
        };
    }

    public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) => _timeline.ReadAsync(cancellationToken);

    public ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence)
    {
        ArgumentNullException.ThrowIfNull(result);
        ArgumentNullException.ThrowIfNull(evidence);
        evidence.Resources = _seen;
        return result with
        {
            Resources = _seen!.ToResult(evidence.Completed),
            Findings = LoadTesting.Core.Analysis.Findings.FindingRules.Judge(
                _seen.ToInputs(evidence.Load, evidence.Completed, evidence.ResponseSeconds, evidence.Counters, queueWaitSeconds: null)),
            Notes = [.. result.Notes, .. _seen.Notes],
        };
    }

    public ValueTask DisposeAsync() => _watch?.DisposeAsync() ?? ValueTask.CompletedTask;
}
