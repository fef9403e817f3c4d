using System.Net;
using LoadTesting.Core.Http;
using LoadTesting.Core.Load.Watches;
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
/// The web service as a child process, or several nodes of it on one backend. Its events come by the event stream of
/// each node, or over a broker; all are listened to before the subject is handed out. The load goes over the lean
/// sender: as many connections as there are requests at a time.
/// </summary>
/// <remarks>
/// With several nodes each instance starts at one and its signals enter at the next, by the correlation key. Every
/// node's stream has the events of all: what another stream has brought before is left out. Where a node is to leave in
/// mid-run, each request has an idempotency key.
/// </remarks>
public sealed class HttpSubject : WorkflowSubject
{
    private const int ClockRounds = 10;
    private static readonly TimeSpan IdlePollInterval = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan EventLimit = TimeSpan.FromSeconds(10);

    private readonly string? _key;
    private readonly PreparedRequest _startRequest;
    private readonly PreparedRequest _signalRequest;
    private readonly CancellationTokenSource _stop = new();
    private readonly NodeBalancer _balancer = new();
    private readonly ServiceNodes _nodes = new();
    private readonly FirstDeliveries _deliveries = new();
    private readonly Lock _gate = new();
    private readonly Stack<int> _idleWorkers = new();
    private IReadOnlyList<NodeStream> _streams = [];
    private int _workers;
    private BrokerEventBus? _bus;
    private bool _nodeLeaves;

    /// <param name="key">The access key of the service; null if it needs none.</param>
    private HttpSubject(string? key)
    {
        _key = key;
        _startRequest = WithKey(PreparedRequest.Post("/instances", default).KeepingBody());
        _signalRequest = WithKey(PreparedRequest.Post("/signals", default).KeepingBody());
    }

    public override HostingKind Hosting => HostingKind.Http;

    /// <summary>0 where somebody else started it.</summary>
    public override int ProcessId => _nodes[0].Process?.ProcessId ?? 0;

    public override IReadOnlyList<int> ProcessIds =>
        [.. _nodes.All.Select(node => node.Process).OfType<WebServiceProcess>().Select(process => process.ProcessId)];

    public override IReadOnlyList<Uri> Services => [.. _nodes.Live.Select(node => node.BaseAddress)];

    /// <summary>Starts the service and listens to its events.</summary>
    /// <param name="nodes">
    /// How many processes; more than one only where the backend keeps the data outside of them.
    /// </param>
    /// <param name="nodeLeaves">Whether one of them is to leave in mid-run.</param>
    /// <exception cref="WebServiceException">
    /// It does not come up, or several nodes do not divide the lanes evenly in time.
    /// </exception>
    public static async Task<HttpSubject> StartAsync(
        string profile, WebServiceOptions options, CancellationToken cancellationToken, RabbitMqServer? broker = null,
        int nodes = 1,
        bool nodeLeaves = false)
    {
        var subject = new HttpSubject(options.Key) { Profile = profile, _nodeLeaves = nodeLeaves };
        try
        {
            if (broker is not null)
            {
                subject._bus =
                    subject.Over(await BrokerEventBus.StartAsync(broker, subject.Observer.Observe, cancellationToken));
                options = options
                    with { Settings = new Dictionary<string, string>(options.Settings.Concat(subject._bus.Settings)) };
            }

            await subject._nodes.StartAsync(options, nodes, cancellationToken);
            subject.Balance();
            if (broker is null)
            {
                await subject.ListenAsync(cancellationToken);
            }

            return subject;
        }
        catch
        {
            await subject.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// Listens to a service that somebody else has started and will end, for one of several processes that load it.
    /// </summary>
    /// <param name="services">Where its nodes listen.</param>
    /// <param name="owns">Whether a correlation key is this process's to account for.</param>
    /// <param name="key">Their access key; null if they need none.</param>
    public static async Task<HttpSubject> JoinAsync(
        string profile, IReadOnlyList<Uri> services, Func<string, bool> owns, string? key,
        CancellationToken cancellationToken)
    {
        var subject = new HttpSubject(key) { Profile = profile };
        subject.Observer.Owns = owns;
        try
        {
            foreach (var service in services)
            {
                subject._nodes
                    .Add(new ServiceNode(service, new WorkflowClient(service, new() { Key = key }), Process: null));
            }

            subject.Balance();
            await subject.ListenAsync(cancellationToken);
            return subject;
        }
        catch
        {
            await subject.DisposeAsync();
            throw;
        }
    }

    public override async Task<string> RegisterAsync(string json, CancellationToken cancellationToken) =>
        (await _nodes[0].Client.RegisterDefinitionAsync(json, cancellationToken)).ContentHash;

    protected override Task<IResponse> StartOnceAsync(
        string definition, string correlationKey, JsonElement input, CancellationToken cancellationToken) =>
        SendAsync(
            new(correlationKey, 0), _startRequest, StartOf(definition, correlationKey, input), reply => reply.Response,
            cancellationToken);

    /// <summary>Starts an instance, for those who poll it; returns its id too once the start is durable.</summary>
    public Task<(IResponse Response, Guid Instance)> StartAndFindAsync(
        string definition, string correlationKey, JsonElement input, CancellationToken cancellationToken) =>
        SendAsync(
            new(correlationKey, 0), _startRequest, StartOf(definition, correlationKey, input),
            reply => (reply.Response,
                JsonSerializer.Deserialize<InstanceStarted>(reply.Body.Span, ContractsJson.Default)!.Id),
            cancellationToken);

    /// <summary>Polls an instance: one request, at the node that it was started at.</summary>
    public Task<(IResponse Response, InstanceState State)> PollAsync(
        Guid instance, string correlationKey, CancellationToken cancellationToken) =>
        SendAsync(
            new(correlationKey, 0), WithKey(PreparedRequest.Get($"/instances/{instance}").KeepingBody()), default,
            reply => (reply.Response,
                JsonSerializer.Deserialize<InstanceView>(reply.Body.Span, ContractsJson.Default)!.State),
            cancellationToken);

    public override Task<IResponse> SignalAsync(
        string name, string correlationKey, JsonElement payload, DateTimeOffset? dueAt,
        CancellationToken cancellationToken) =>
        SendAsync(
            new(correlationKey, 1), _signalRequest,
            JsonSerializer.SerializeToUtf8Bytes(
                new SendSignal { Name = name, CorrelationKey = correlationKey, Payload = payload, DueAt = dueAt },
                ContractsJson.Default),
            reply => reply.Response, cancellationToken);

    public override Task<IResponse> AssignTaskAsync(Guid task, string assignee, CancellationToken cancellationToken) =>
        PostAsync($"/tasks/{task}/assign", new AssignTask { Assignee = assignee }, cancellationToken);

    public override Task<IResponse> CompleteTaskAsync(
        Guid task, JsonElement output, CancellationToken cancellationToken) =>
        PostAsync($"/tasks/{task}/complete", new CompleteTask { Output = output }, cancellationToken);

    public override Task<TaskList> ListOpenTasksAsync(Guid? after, CancellationToken cancellationToken) =>
        _nodes[0].Client
            .ListTasksAsync(state: TaskState.Open, after: after, limit: PageSize, cancellationToken: cancellationToken);

    /// <summary>
    /// A stream comes in order; a broker promises none, and of several streams one overtakes another.
    /// </summary>
    public override bool EventsAreOrdered => _bus is null && _nodes.All.Count == 1;

    /// <summary>
    /// Asks each node where its event stream ends, and waits until everything up to there was handled.
    /// </summary>
    public override async Task<string?> WaitForEventsAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(IdlePollInterval);
        var began = Stopwatch.GetTimestamp();
        foreach (var (node, stream, _, _) in _streams.Where(one => _nodes.Live.Contains(one.Node)))
        {
            EventPosition end;
            try
            {
                end = await EndOfStreamAsync(node, cancellationToken);
            }
            catch (HttpRequestException exception)
            {
                return $"{node.BaseAddress} no longer answers ({exception.Message}), "
                    + "so it is unknown whether all of its events came";
            }

            while (!EventPosition.Parse(stream.Handled ?? "").Reaches(end))
            {
                if (Stopwatch.GetElapsedTime(began) > EventLimit)
                {
                    return $"the event stream ends at {end}, and in {EventLimit.TotalSeconds} s of idleness was "
                        + $"handled up to {stream.Handled}: events are missing";
                }

                await timer.WaitForNextTickAsync(cancellationToken);
            }
        }

        if (_streams.Count > 0)
        {
            // The stream of a node that has left is not asked, and its last event may still be on its way to the
            // awaiter.
            await Awaiter.WaitForQuietAsync(IdlePollInterval, EventLimit, cancellationToken);
        }

        return null;
    }

    /// <summary>
    /// Over HTTP idleness can only be asked for: the moment is known to within one interval of 5 ms and a request.
    /// </summary>
    public override async Task<long> WaitForIdleAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(IdlePollInterval);
        while (PendingOf(await CountAsync(cancellationToken)) > 0)
        {
            await timer.WaitForNextTickAsync(cancellationToken);
        }

        return Stopwatch.GetTimestamp();
    }

    public override Task<EngineStatistics> CountAsync(CancellationToken cancellationToken) =>
        _nodes.CountAsync(cancellationToken);

    public override string? MissingCounts => _nodes.HaveLeft ? "a node left with its counters" : null;

    public override Func<TimeSpan>? ConsumerWork =>
        _streams.Count == 0 ? null : () => _streams.Max(one => one.Stream.Worked);

    public override async Task<double?> AllocatedBytesAsync(CancellationToken cancellationToken)
    {
        const string Allocated = "dotnet_allocated_bytes_total";
        if (_nodes.HaveLeft)
        {
            return null;
        }

        List<IReadOnlyDictionary<string, double>> samples = [.. (await ReadMetricsAsync(cancellationToken)).Values];
        return samples.TrueForAll(page => page.ContainsKey(Allocated)) ? samples.Sum(page => page[Allocated]) : null;
    }

    /// <summary>The metrics of each process, by its address.</summary>
    public async Task<IReadOnlyDictionary<Uri, IReadOnlyDictionary<string, double>>> ReadMetricsAsync(
        CancellationToken cancellationToken)
    {
        var pages = await Task.WhenAll(_nodes.Live.Select(
            async node =>
                (node.BaseAddress, Page: MetricsPage.Read(await node.Client.GetMetricsAsync(cancellationToken)))));
        return pages.ToDictionary(page => page.BaseAddress, page => page.Page);
    }

    /// <summary>
    /// The first process's clock beside that of this one: of a few round trips the fastest says most.
    /// </summary>
    public async Task<ServiceClock> ReadClockAsync(CancellationToken cancellationToken)
    {
        ServiceClock? best = null;
        for (var round = 0; round < ClockRounds; round++)
        {
            var (sent, began) = (TimeProvider.System.GetUtcNow(), Stopwatch.GetTimestamp());
            var page = MetricsPage.Read(await _nodes[0].Client.GetMetricsAsync(cancellationToken));
            var half = Stopwatch.GetElapsedTime(began) / 2;
            var theirs = DateTimeOffset.UnixEpoch.AddSeconds(MetricsPage.Value(page, MetricsPage.Clock));
            best = best is null || half < best.Error ? new(theirs - sent - half, half) : best;
        }

        return best!;
    }

    public override async Task WarmUpAsync(Func<Task> loadAsync)
    {
        await base.WarmUpAsync(loadAsync);
        await WarmUpRule.RepeatAsync(() => ServiceTimes.ReadAsync(_nodes.Live.Select(node => node.Client)), loadAsync);
    }

    public override Task<InstanceList> ListAsync(
        InstanceState state, Guid? after, CancellationToken cancellationToken) =>
        _nodes[0].Client
            .ListInstancesAsync(state: state, after: after, limit: PageSize, cancellationToken: cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        foreach (var (_, stream, reading, stop) in _streams)
        {
            await reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            stream.Dispose();
            stop.Dispose();
        }

        _balancer.Dispose();
        await _nodes.DisposeAsync();
        await (_bus?.DisposeAsync() ?? ValueTask.CompletedTask);
        Observer.Dispose();
        _stop.Dispose();
    }

    private async Task ListenAsync(CancellationToken cancellationToken)
    {
        foreach (var node in _nodes.Live)
        {
            await ListenAsync(node, cancellationToken);
        }
    }

    private void Balance()
    {
        foreach (var node in _nodes.Live)
        {
            _balancer.Add(node.BaseAddress);
        }
    }

    /// <summary>Requests that were sent to another node because theirs was gone.</summary>
    internal long FailedOver => _balancer.FailedOver;

    /// <summary>
    /// Ends the last node. One that is killed gets requests until one of them fails; one that is drained gets no more,
    /// answers those that it has, and is stopped in order.
    /// </summary>
    /// <returns>Its name, and the lanes that it had.</returns>
    /// <exception cref="WebServiceException">It does not end, or not in order.</exception>
    internal async Task<NodeState> EndLastNodeAsync(NodeChange change, CancellationToken cancellationToken)
    {
        var node = _nodes.Live[^1];
        _balancer.FailsOver = change == NodeChange.Killed;
        if (change == NodeChange.Drained)
        {
            await _balancer.DrainAsync(node.BaseAddress, cancellationToken);
        }

        var (state, ticks) = await _nodes.EndLastAsync(change, cancellationToken);
        if (change == NodeChange.Killed)
        {
            Observer.Takeover = new Takeover(state.OwnedLanes, ticks, Stopwatch.GetTimestamp());
        }

        await Task.WhenAll(_streams.Where(one => one.Node == node).Select(one => one.Stop.CancelAsync()));
        return state;
    }

    /// <summary>One more node, which gets requests as soon as it has its share of the lanes.</summary>
    /// <exception cref="WebServiceException">It does not come up, or does not get its share in time.</exception>
    internal async Task JoinAsync(CancellationToken cancellationToken)
    {
        var node = await _nodes.AddAsync(cancellationToken);
        if (_bus is null)
        {
            await ListenAsync(node, cancellationToken);
        }

        await _nodes.DivideAsync(cancellationToken);
        _balancer.Add(node.BaseAddress);
    }

    private async Task ListenAsync(ServiceNode node, CancellationToken cancellationToken)
    {
        var stream = new EventStreamClient(node.BaseAddress, new() { Key = _key });
        var stop = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        _streams = [.. _streams,
            new(node, stream, Task.Run(() => ReadAsync(stream, stop.Token), CancellationToken.None), stop)];
        await stream.Connected.WaitAsync(cancellationToken);
    }

    private PreparedRequest WithKey(PreparedRequest request) =>
        _key is null ? request : request.WithHeader(ContractsHttp.KeyHeader, _key);

    private static byte[] StartOf(string definition, string correlationKey, JsonElement input) =>
        JsonSerializer.SerializeToUtf8Bytes(
        new StartInstance { Definition = definition, CorrelationKey = correlationKey, Input = input },
        ContractsJson.Default);

    private Task<IResponse> PostAsync<TBody>(string path, TBody body, CancellationToken cancellationToken)
    {
        var json = JsonSerializer.SerializeToUtf8Bytes(body, ContractsJson.Default);
        return SendAsync(
            new(path, 0), WithKey(PreparedRequest.Post(path, json).KeepingBody()), json, reply => reply.Response,
            cancellationToken);
    }

    /// <exception cref="WorkflowApiException">The answer is an error.</exception>
    /// <exception cref="HttpRequestException">There is no answer; what became of the request is not known.</exception>
    /// <exception cref="OperationCanceledException">
    /// There was none in time, or the run was cut; the same holds.
    /// </exception>
    private Task<T> SendAsync<T>(
        NodeChoice choice, PreparedRequest request, ReadOnlyMemory<byte> body, Func<HttpReply, T> read,
        CancellationToken cancellationToken)
    {
        var sent = _nodeLeaves
            ? request.WithHeader(ContractsHttp.IdempotencyKeyHeader, $"{choice.Key}/{choice.Next}")
            : request;
        return _balancer.SendAsync(choice, sender => SendToAsync(sender, sent, body, read, cancellationToken));
    }

    private async Task<T> SendToAsync<T>(
        HttpSender sender, PreparedRequest request, ReadOnlyMemory<byte> body, Func<HttpReply, T> read,
        CancellationToken cancellationToken)
    {
        var worker = RentWorker();
        try
        {
            var reply = await sender.SendAsync(worker, request, body, cancellationToken);
            if (reply.IsSuccess)
            {
                return read(reply);
            }

            throw reply.Fault switch
            {
                HttpFault.None => WorkflowApiException.Of(
                    (HttpStatusCode)reply.Status,
                    Encoding.UTF8.GetString(reply.Body.Span), $"{request.Method} {request.Target}"),
                HttpFault.Cancelled => new OperationCanceledException(reply.Detail, cancellationToken),
                HttpFault.Timeout => new TaskCanceledException(reply.Detail, new TimeoutException(reply.Detail)),
                _ => new HttpRequestException($"{request.Method} {request.Target}: "
                    + $"{reply.Response.StatusCode}: {reply.Detail}"),
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

    /// <summary>An idle connection, the most recently used first.</summary>
    private int RentWorker()
    {
        lock (_gate)
        {
            return _idleWorkers.TryPop(out var idle) ? idle : _workers++;
        }
    }

    /// <summary>
    /// A stream that begins with the next event says where that is before there is one. It is left at once: by default
    /// its connection would read on for 2 s, up to 1 MB, and the service would write to it what belongs to the load
    /// that begins next.
    /// </summary>
    private async Task<EventPosition> EndOfStreamAsync(ServiceNode node, CancellationToken cancellationToken)
    {
        using var handler = new SocketsHttpHandler { MaxResponseDrainSize = 0 };
        using var http = new HttpClient(handler) { BaseAddress = node.BaseAddress };
        if (_key is not null)
        {
            http.DefaultRequestHeaders.Add(ContractsHttp.KeyHeader, _key);
        }

        using var response = await http.GetAsync(
            new Uri("events", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        return EventPosition.Parse(
            response.EnsureSuccessStatusCode().Headers.GetValues(ContractsHttp.EventPositionHeader).Single());
    }

    private async Task ReadAsync(EventStreamClient stream, CancellationToken cancellationToken)
    {
        await foreach (var received in stream.ReadAsync(cancellationToken))
        {
            if (_nodes.All.Count == 1 || _deliveries.IsFirst(received.Event.Id))
            {
                Observer.Observe(received.Event, received.ReceivedTicks);
            }
        }
    }

    private sealed record NodeStream(
        ServiceNode Node, EventStreamClient Stream, Task Reading, CancellationTokenSource Stop);
}
