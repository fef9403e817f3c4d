using System.Net;
using Workflow.Abstractions;
using Workflow.Client;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;

namespace Benchmarks;

/// <summary>The web service with its default settings on a stock of dormant instances.</summary>
internal sealed class DormantService : IAsyncDisposable
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_recovery = TimeSpan.FromSeconds(120);
    private static readonly TimeSpan s_poll = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(20);
    private readonly DormantStock _stock;
    private HttpSubject? _subject;
    private long _started;

    private DormantService(WebServiceProcess process, DormantStock stock) => (Process, _stock) = (process, stock);

    public WebServiceProcess Process { get; }

    /// <summary>Instances that were started beside the stock.</summary>
    public long Started => Interlocked.Read(ref _started);

    /// <summary>The most memory that the process has held since its start, bytes.</summary>
    /// <exception cref="InvalidOperationException">The system does not tell.</exception>
    public long PeakBytes
    {
        get
        {
            var file = $"/proc/{Process.ProcessId}/status";
            var line = File.Exists(file)
                ? File.ReadLines(file).FirstOrDefault(l => l.StartsWith("VmHWM:", StringComparison.Ordinal)) : null;
            return line?.Split(' ', StringSplitOptions.RemoveEmptyEntries) is [_, var kilobytes, _]
                ? 1_024 * long.Parse(kilobytes, CultureInfo.InvariantCulture)
                : throw new InvalidOperationException(
                    $"{file} has no line VmHWM: the peak memory is measured on Linux.");
        }
    }

    /// <summary>The load over the lean sender, with the event stream.</summary>
    private HttpSubject Subject => _subject
        ?? throw new InvalidOperationException("The benchmark has not joined the service that runs now.");

    /// <summary>Starts the service.</summary>
    /// <returns>The service, and the time until a start was accepted: the lanes are loaded then.</returns>
    public static async Task<(DormantService Service, TimeSpan Loaded)> StartAsync(
        BenchmarkContext context, DormantStock stock, CancellationToken cancellationToken)
    {
        var since = Stopwatch.GetTimestamp();
        var options = new WebServiceOptions
        {
            Provider = "Postgres", ConnectionString = context.ConnectionString, Schema = stock.Schema,
        };
        var service = new DormantService(await WebServiceProcess.StartAsync(options, cancellationToken), stock);
        return (await service.PreparedAsync(one => one.FirstStartAsync(cancellationToken)),
            Stopwatch.GetElapsedTime(since));
    }

    /// <summary>Listens to the events of the process that runs now.</summary>
    public async Task JoinAsync(CancellationToken cancellationToken) => _subject = await HttpSubject.JoinAsync(
        "postgres", [Process.BaseAddress], _ => true, key: null, cancellationToken);

    /// <summary>Closes the connections of <see cref="JoinAsync"/>.</summary>
    public async Task LeaveAsync()
    {
        if (_subject is not null)
        {
            await _subject.DisposeAsync();
            _subject = null;
        }
    }

    public Task WarmUpAsync(Func<Task> loadAsync) => Subject.WarmUpAsync(loadAsync);

    public Task<EngineStatistics> CountAsync(CancellationToken cancellationToken) =>
        Subject.CountAsync(cancellationToken);

    /// <summary>Starts an instance that waits; returns its key.</summary>
    public async Task<string> StartInstanceAsync(CancellationToken cancellationToken)
    {
        var key = Guid.CreateVersion7().ToString();
        await Subject.StartAsync(RoundTripRequests.Definition, key, RoundTripRequests.Input(key), cancellationToken);
        Interlocked.Increment(ref _started);
        return key;
    }

    /// <summary>Signals a waiting instance, dormant or resident, and waits for its completion.</summary>
    /// <returns>From just before the request to the first line that reads the event.</returns>
    public async Task<TimeSpan> CompleteAsync(string key, CancellationToken cancellationToken)
    {
        var wait = Subject.Awaiter.Register(nameof(InstanceCompleted), key, s_deadline);
        var since = Stopwatch.GetTimestamp();
        await Subject.SignalAsync(RoundTripRequests.Signal, key, RoundTripRequests.Payload, null, cancellationToken);
        return Stopwatch.GetElapsedTime(since, await TransportUnderTest.ArrivalAsync(wait, cancellationToken));
    }

    /// <summary>A start and a signal, each until it is durable, without the event stream.</summary>
    public async Task<TimeSpan> RoundTripAsync(CancellationToken cancellationToken)
    {
        var key = Guid.CreateVersion7().ToString();
        var since = Stopwatch.GetTimestamp();
        await Process.Client.StartAsync(RoundTripRequests.Start(key), null, cancellationToken);
        Interlocked.Increment(ref _started);
        await Process.Client.SignalAsync(RoundTripRequests.Resume(key), null, cancellationToken);
        return Stopwatch.GetElapsedTime(since);
    }

    /// <summary>Stops the process in order.</summary>
    /// <exception cref="InvalidOperationException">It does not end in order.</exception>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await LeaveAsync();
        var exitCode = await Process.StopAsync(cancellationToken);
        if (exitCode != 0)
        {
            throw new InvalidOperationException(
                $"The web service ended with {exitCode}. Its output:{Environment.NewLine}{Process.OutputTail}");
        }
    }

    /// <summary>Starts the ended process again, and sends at once what a client would send.</summary>
    /// <returns>From just before the start of the process to each of the answers.</returns>
    public async Task<(TimeSpan Ready, TimeSpan FirstStart, TimeSpan FirstWake)> RestartAsync(
        CancellationToken cancellationToken)
    {
        var since = Stopwatch.GetTimestamp();
        await Process.RestartAsync(cancellationToken);
        var ready = RepeatAsync(token => Process.Client.EnsureReadyAsync(token), since, cancellationToken);
        var start = FirstStartAsync(since, cancellationToken);
        var wake = FirstWakeAsync(_stock.Take(), since, cancellationToken);
        return (await ready, await start, await wake);
    }

    public Task WaitUntilReadyAsync(CancellationToken cancellationToken) => RepeatAsync(
        token => Process.Client.EnsureReadyAsync(token), Stopwatch.GetTimestamp(), cancellationToken);

    /// <summary>The instances that were started at another node of the same stock count here.</summary>
    public void CountStartedOf(DormantService other) => Interlocked.Add(ref _started, other.Started);

    public async ValueTask DisposeAsync()
    {
        await LeaveAsync();
        await Process.DisposeAsync();
    }

    private Task FirstStartAsync(CancellationToken cancellationToken) =>
        FirstStartAsync(Stopwatch.GetTimestamp(), cancellationToken);

    private async Task<TimeSpan> FirstStartAsync(long since, CancellationToken cancellationToken)
    {
        var key = Guid.CreateVersion7().ToString();
        var elapsed = await RepeatAsync(
            token => Process.Client.StartAsync(RoundTripRequests.Start(key), key, token), since, cancellationToken);
        Interlocked.Increment(ref _started);
        return elapsed;
    }

    /// <summary>Signals a dormant instance until that is accepted, and makes sure that it has completed.</summary>
    /// <returns>
    /// The time until the answer that the signal was applied, or until the instance was seen to be completed if the
    /// answer does not say so.
    /// </returns>
    public async Task<TimeSpan> FirstWakeAsync(string key, long since, CancellationToken cancellationToken)
    {
        var isDelivered = false;
        var answered = await RepeatAsync(
            async token => isDelivered =
                (await Process.Client.SignalAsync(RoundTripRequests.Resume(key), key, token)).Delivered,
            since, cancellationToken);
        while (true)
        {
            var found = await Process.Client.ListInstancesAsync(
                correlationKey: key, cancellationToken: cancellationToken);
            if (found.Items is [{ State: InstanceState.Completed }])
            {
                return isDelivered ? answered : Stopwatch.GetElapsedTime(since);
            }

            if (Stopwatch.GetElapsedTime(since) > s_recovery)
            {
                throw new InvalidOperationException(
                    $"The dormant instance '{key}' was signalled and did not complete within {s_recovery}.");
            }

            // Each look is a query; several that look all the time would slow down what they wait for.
            await Task.Delay(s_look, cancellationToken);
        }
    }

    /// <summary>Repeats a request, with the same idempotency key, until the service accepts it.</summary>
    private static async Task<TimeSpan> RepeatAsync(
        Func<CancellationToken, Task> sendAsync, long since, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                await sendAsync(cancellationToken);
                return Stopwatch.GetElapsedTime(since);
            }
            catch (Exception e) when (
                e is HttpRequestException or WorkflowApiException
                {
                    Status: HttpStatusCode.ServiceUnavailable or HttpStatusCode.TooManyRequests
                }
                && Stopwatch.GetElapsedTime(since) < s_recovery)
            {
                await Task.Delay(s_poll, cancellationToken);
            }
        }
    }
}
