using System.Net;
using System.Text;
using System.Text.Json;
using LoadTesting.Core.Http;
using PerformanceTesting.Backends.RabbitMq;
using Workflow.Abstractions;
using Workflow.Client;
using Workflow.Client.Events;
using Workflow.Contracts;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;

namespace PerformanceTesting.Subjects;

/// <summary>
/// The web service as a child process; its events come by the event stream, or over a broker; either is listened to before the subject is
/// handed out. Starts and signals, which are the load, go over the lean sender: as many connections as there are requests at a time.
/// </summary>
public sealed class HttpSubject : WorkflowSubject
{
    private static readonly TimeSpan IdlePollInterval = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan EventLimit = TimeSpan.FromSeconds(10);

    private static readonly PreparedRequest StartRequest = PreparedRequest.Post("/instances", default).KeepingBody();
    private static readonly PreparedRequest SignalRequest = PreparedRequest.Post("/signals", default).KeepingBody();

    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly Stack<int> _idleWorkers = new();
    private int _workers;
    private HttpSender? _sender;
    private WebServiceProcess _service = null!;
    private EventStreamClient? _stream;
    private BrokerEventBus? _bus;
    private Task _reading = Task.CompletedTask;

    private HttpSubject()
    {
    }

    public override HostingKind Hosting => HostingKind.Http;

    public override int ProcessId => _service.ProcessId;

    /// <summary>Starts the service and listens to its events.</summary>
    public static async Task<HttpSubject> StartAsync(
        string profile, WebServiceOptions options, CancellationToken cancellationToken, RabbitMqServer? broker = null)
    {
        var subject = new HttpSubject { Profile = profile };
        if (broker is not null)
        {
            subject._bus = subject.Over(await BrokerEventBus.StartAsync(broker, subject.Observer.Observe, cancellationToken));
            options = options with { Settings = new Dictionary<string, string>(options.Settings.Concat(subject._bus.Settings)) };
            await subject.StartServiceAsync(options, cancellationToken);
            return subject;
        }

        await subject.StartServiceAsync(options, cancellationToken);
        subject._stream = new EventStreamClient(subject._service.BaseAddress);
        subject._reading = Task.Run(() => subject.ReadAsync(subject._stream), CancellationToken.None);
        await subject._stream.Connected.WaitAsync(cancellationToken);
        return subject;
    }

    public override async Task<string> RegisterAsync(string json, CancellationToken cancellationToken) =>
        (await _service.Client.RegisterDefinitionAsync(json, cancellationToken)).ContentHash;

    protected override Task StartOnceAsync(
        string definition, string correlationKey, JsonElement input, CancellationToken cancellationToken) =>
        PostAsync(
            StartRequest, new StartInstance { Definition = definition, CorrelationKey = correlationKey, Input = input }, cancellationToken);

    public override Task SignalAsync(
        string name, string correlationKey, JsonElement payload, DateTimeOffset? dueAt, CancellationToken cancellationToken) =>
        PostAsync(
            SignalRequest, new SendSignal { Name = name, CorrelationKey = correlationKey, Payload = payload, DueAt = dueAt },
            cancellationToken);

    public override Task AssignTaskAsync(Guid task, string assignee, CancellationToken cancellationToken) =>
        _service.Client.AssignTaskAsync(task, assignee, cancellationToken);

    public override Task CompleteTaskAsync(Guid task, JsonElement output, CancellationToken cancellationToken) =>
        _service.Client.CompleteTaskAsync(task, output, null, cancellationToken);

    public override Task<TaskList> ListOpenTasksAsync(Guid? after, CancellationToken cancellationToken) =>
        _service.Client.ListTasksAsync(state: TaskState.Open, after: after, limit: PageSize, cancellationToken: cancellationToken);

    /// <summary>The event stream comes in order; a broker promises none.</summary>
    public override bool EventsAreOrdered => _stream is not null;

    /// <summary>Asks the service where its event stream ends, and reads up to there.</summary>
    public override async Task<string?> WaitForEventsAsync(CancellationToken cancellationToken)
    {
        if (_stream is null)
        {
            return null;
        }

        var end = await EndOfStreamAsync(cancellationToken);
        using var timer = new PeriodicTimer(IdlePollInterval);
        var began = Stopwatch.GetTimestamp();
        while (!EventPosition.Parse(_stream.Position ?? "").Reaches(end))
        {
            if (Stopwatch.GetElapsedTime(began) > EventLimit)
            {
                return $"the event stream ends at {end}, and in {EventLimit.TotalSeconds} s of idleness was read up to {_stream.Position}: "
                    + "events are missing";
            }

            await timer.WaitForNextTickAsync(cancellationToken);
        }

        // The position is known before its event was handed on.
        await Awaiter.WaitForQuietAsync(IdlePollInterval, EventLimit, cancellationToken);
        return null;
    }

    /// <summary>Over HTTP idleness can only be asked for: the moment is known to within one interval of 5 ms and a request.</summary>
    public override async Task<long> WaitForIdleAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(IdlePollInterval);
        while (PendingOf(await CountAsync(cancellationToken)) > 0)
        {
            await timer.WaitForNextTickAsync(cancellationToken);
        }

        return Stopwatch.GetTimestamp();
    }

    public override async Task<EngineStatistics> CountAsync(CancellationToken cancellationToken)
    {
        var page = await _service.Client.GetMetricsAsync(cancellationToken);
        return EngineStatistics.Parse(page.Split('\n')
            .Where(line => line.StartsWith("workflow_", StringComparison.Ordinal) && !line.Contains('{', StringComparison.Ordinal))
            .Select(line => line.Split(' '))
            .ToDictionary(parts => parts[0], parts => double.Parse(parts[1], CultureInfo.InvariantCulture), StringComparer.Ordinal));
    }

    protected override TimeSpan? ConsumerWork => _stream?.Worked;

    public override async Task<double?> AllocatedBytesAsync(CancellationToken cancellationToken)
    {
        const string Name = "dotnet_allocated_bytes_total ";
        var page = await _service.Client.GetMetricsAsync(cancellationToken);
        var line = page.Split('\n').FirstOrDefault(line => line.StartsWith(Name, StringComparison.Ordinal));
        return line is null ? null : double.Parse(line[Name.Length..], CultureInfo.InvariantCulture);
    }

    public override Task<InstanceList> ListAsync(InstanceState state, Guid? after, CancellationToken cancellationToken) =>
        _service.Client.ListInstancesAsync(state: state, after: after, limit: PageSize, cancellationToken: cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stream?.Dispose();
        _sender?.Dispose();
        await _service.DisposeAsync();
        await (_bus?.DisposeAsync() ?? ValueTask.CompletedTask);
        Observer.Dispose();
        _stop.Dispose();
    }

    /// <summary>
    /// Requests per second that as many clients at a time get out of a route of this service that does nothing, sent as starts are.
    /// </summary>
    internal async Task<double> NoOpPerSecondAsync(int clients, TimeSpan duration, CancellationToken cancellationToken)
    {
        using var sender = HttpSender.Lean(_service.BaseAddress);
        var nothing = PreparedRequest.Get("/" + HttpCeiling.Route);
        var scenario = Scenario.Create("no-op", async context => (await sender.SendAsync(context, nothing)).Response)
            .WithWarmUpDuration(duration / 2).WithLoadSimulations(Simulation.KeepConstant(clients, duration));
        var result = (await new LoadRunner().RunAsync([scenario], new LoadOptions(), cancellationToken)).Scenarios[0];
        return result.Fail.Count == 0
            ? result.Ok.RatePerSecond
            : throw new WebServiceException($"{result.Fail.Count} requests that do nothing failed: {result.Errors[0].Message}");
    }

    private async Task StartServiceAsync(WebServiceOptions options, CancellationToken cancellationToken)
    {
        _service = await WebServiceProcess.StartAsync(options, cancellationToken);
        _sender = HttpSender.Lean(_service.BaseAddress);
    }

    /// <exception cref="WorkflowApiException">The answer is an error.</exception>
    /// <exception cref="HttpRequestException">There is no answer; what became of the request is not known.</exception>
    private async Task PostAsync<T>(PreparedRequest request, T body, CancellationToken cancellationToken)
    {
        var worker = RentWorker();
        try
        {
            var reply = await _sender!.SendAsync(
                worker, request, JsonSerializer.SerializeToUtf8Bytes(body, ContractsJson.Default), cancellationToken);
            if (reply.IsSuccess)
            {
                return;
            }

            throw reply.Fault switch
            {
                HttpFault.None => WorkflowApiException.Of(
                    (HttpStatusCode)reply.Status, Encoding.UTF8.GetString(reply.Body.Span), $"POST {request.Target}"),
                HttpFault.Cancelled => new OperationCanceledException(reply.Detail, cancellationToken),
                HttpFault.Timeout => new TaskCanceledException(reply.Detail, new TimeoutException(reply.Detail)),
                _ => new HttpRequestException($"POST {request.Target}: {reply.Response.StatusCode}: {reply.Detail}"),
            };
        }
        finally
        {
            lock (_gate)
            {
                _idleWorkers.Push(worker);
            }
        }
    }

    /// <summary>A connection that nobody uses, the one that was used last first.</summary>
    private int RentWorker()
    {
        lock (_gate)
        {
            return _idleWorkers.TryPop(out var idle) ? idle : _workers++;
        }
    }

    /// <summary>A stream that begins with the next event says where that is before there is one.</summary>
    private async Task<EventPosition> EndOfStreamAsync(CancellationToken cancellationToken)
    {
        using var http = new HttpClient { BaseAddress = _service.BaseAddress };
        using var response = await http.GetAsync(
            new Uri("events", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        return EventPosition.Parse(response.EnsureSuccessStatusCode().Headers.GetValues(ContractsHttp.EventPositionHeader).Single());
    }

    private async Task ReadAsync(EventStreamClient stream)
    {
        await foreach (var received in stream.ReadAsync(_stop.Token))
        {
            Observer.Observe(received.Event, received.ReceivedTicks);
        }
    }
}
