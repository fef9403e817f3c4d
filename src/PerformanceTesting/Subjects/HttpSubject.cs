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
/// The web service as a child process, or several nodes of it on one backend. Its events come by the event stream of each node, or over a
/// broker; all are listened to before the subject is handed out. The load goes over the lean sender: as many
/// connections as there are requests at a time.
/// </summary>
/// <remarks>
/// With several nodes each instance starts at one and its signals enter at the next, by the correlation key. Every node's stream has the
/// events of all: what another stream has brought before is left out.
/// </remarks>
public sealed class HttpSubject : WorkflowSubject
{
    private static readonly TimeSpan IdlePollInterval = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan EventLimit = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan DivisionLimit = TimeSpan.FromSeconds(30);
    private static readonly PreparedRequest StartRequest = PreparedRequest.Post("/instances", default).KeepingBody();
    private static readonly PreparedRequest SignalRequest = PreparedRequest.Post("/signals", default).KeepingBody();

    private readonly CancellationTokenSource _stop = new();
    private readonly List<ServiceNode> _nodes = [];
    private readonly List<HttpSender> _senders = [];
    private readonly List<(EventStreamClient Stream, Task Reading)> _streams = [];
    private readonly Dictionary<string, long> _delivered = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();
    private readonly Stack<int> _idleWorkers = new();
    private int _workers;
    private BrokerEventBus? _bus;

    private HttpSubject()
    {
    }

    public override HostingKind Hosting => HostingKind.Http;

    /// <summary>0 where somebody else started it.</summary>
    public override int ProcessId => _nodes[0].Process?.ProcessId ?? 0;

    public override IReadOnlyList<int> ProcessIds =>
        [.. _nodes.Select(node => node.Process).OfType<WebServiceProcess>().Select(process => process.ProcessId)];

    public override IReadOnlyList<Uri> Services => [.. _nodes.Select(node => node.BaseAddress)];

    /// <summary>Starts the service and listens to its events.</summary>
    /// <param name="nodes">How many processes; more than one only where the backend keeps the data outside of them.</param>
    /// <param name="listens">Whether its events are listened to; false where agents do so.</param>
    /// <exception cref="WebServiceException">It does not come up, or several nodes do not divide the lanes evenly in time.</exception>
    public static async Task<HttpSubject> StartAsync(
        string profile, WebServiceOptions options, CancellationToken cancellationToken, RabbitMqServer? broker = null, int nodes = 1,
        bool listens = true)
    {
        var subject = new HttpSubject { Profile = profile };
        try
        {
            if (broker is not null)
            {
                subject._bus = subject.Over(await BrokerEventBus.StartAsync(broker, subject.Observer.Observe, cancellationToken));
                options = options with { Settings = new Dictionary<string, string>(options.Settings.Concat(subject._bus.Settings)) };
            }

            await subject.StartNodesAsync(options, nodes, cancellationToken);
            if (listens && broker is null)
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

    /// <summary>Listens to a service that somebody else has started and will end, for one of several processes that load it.</summary>
    /// <param name="services">Where its nodes listen.</param>
    /// <param name="owns">Whether a correlation key is this process's to account for.</param>
    public static async Task<HttpSubject> JoinAsync(
        string profile, IReadOnlyList<Uri> services, Func<string, bool> owns, CancellationToken cancellationToken)
    {
        var subject = new HttpSubject { Profile = profile };
        subject.Observer.Owns = owns;
        try
        {
            foreach (var service in services)
            {
                subject._nodes.Add(new ServiceNode(service, new WorkflowClient(service), Process: null));
                subject._senders.Add(HttpSender.Lean(service));
            }

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
            SenderOf(correlationKey, 0), StartRequest, StartOf(definition, correlationKey, input), reply => reply.Response,
            cancellationToken);

    /// <summary>Starts an instance, for those who poll it; returns its id too once the start is durable.</summary>
    public Task<(IResponse Response, Guid Instance)> StartAndFindAsync(
        string definition, string correlationKey, JsonElement input, CancellationToken cancellationToken) =>
        SendAsync(
            SenderOf(correlationKey, 0), StartRequest, StartOf(definition, correlationKey, input),
            reply => (reply.Response, JsonSerializer.Deserialize<InstanceStarted>(reply.Body.Span, ContractsJson.Default)!.Id),
            cancellationToken);

    /// <summary>Polls an instance: one request, at the node that it was started at.</summary>
    public Task<(IResponse Response, InstanceState State)> PollAsync(
        Guid instance, string correlationKey, CancellationToken cancellationToken) =>
        SendAsync(
            SenderOf(correlationKey, 0), PreparedRequest.Get($"/instances/{instance}").KeepingBody(), default,
            reply => (reply.Response, JsonSerializer.Deserialize<InstanceView>(reply.Body.Span, ContractsJson.Default)!.State),
            cancellationToken);

    public override Task<IResponse> SignalAsync(
        string name, string correlationKey, JsonElement payload, DateTimeOffset? dueAt, CancellationToken cancellationToken) =>
        SendAsync(
            SenderOf(correlationKey, 1), SignalRequest,
            JsonSerializer.SerializeToUtf8Bytes(
                new SendSignal { Name = name, CorrelationKey = correlationKey, Payload = payload, DueAt = dueAt }, ContractsJson.Default),
            reply => reply.Response, cancellationToken);

    public override Task<IResponse> AssignTaskAsync(Guid task, string assignee, CancellationToken cancellationToken) =>
        PostAsync($"/tasks/{task}/assign", new AssignTask { Assignee = assignee }, cancellationToken);

    public override Task<IResponse> CompleteTaskAsync(Guid task, JsonElement output, CancellationToken cancellationToken) =>
        PostAsync($"/tasks/{task}/complete", new CompleteTask { Output = output }, cancellationToken);

    public override Task<TaskList> ListOpenTasksAsync(Guid? after, CancellationToken cancellationToken) =>
        _nodes[0].Client.ListTasksAsync(state: TaskState.Open, after: after, limit: PageSize, cancellationToken: cancellationToken);

    /// <summary>A stream comes in order; a broker promises none, and of several streams one overtakes another.</summary>
    public override bool EventsAreOrdered => _bus is null && _nodes.Count == 1;

    /// <summary>Asks each node where its event stream ends, and reads up to there.</summary>
    public override async Task<string?> WaitForEventsAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(IdlePollInterval);
        var began = Stopwatch.GetTimestamp();
        foreach (var (node, (stream, _)) in _nodes.Zip(_streams))
        {
            var end = await EndOfStreamAsync(node, cancellationToken);
            while (!EventPosition.Parse(stream.Position ?? "").Reaches(end))
            {
                if (Stopwatch.GetElapsedTime(began) > EventLimit)
                {
                    return $"the event stream ends at {end}, and in {EventLimit.TotalSeconds} s of idleness was read up to "
                        + $"{stream.Position}: events are missing";
                }

                await timer.WaitForNextTickAsync(cancellationToken);
            }
        }

        if (_streams.Count > 0)
        {
            // The position is known before its event was handed on.
            await Awaiter.WaitForQuietAsync(IdlePollInterval, EventLimit, cancellationToken);
        }

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
        var counts = await Task.WhenAll(_nodes.Select(node => CountAsync(node, cancellationToken)));
        return counts.Aggregate((all, one) => all.Plus(one));
    }

    public override Func<TimeSpan>? ConsumerWork => _streams.Count == 0 ? null : () => _streams.Max(one => one.Stream.Worked);

    public override async Task<double?> AllocatedBytesAsync(CancellationToken cancellationToken)
    {
        const string Name = "dotnet_allocated_bytes_total ";
        var pages = await Task.WhenAll(_nodes.Select(node => node.Client.GetMetricsAsync(cancellationToken)));
        var lines = pages.Select(page => page.Split('\n').FirstOrDefault(line => line.StartsWith(Name, StringComparison.Ordinal))).ToList();
        return lines.Contains(null) ? null : lines.Sum(line => double.Parse(line![Name.Length..], CultureInfo.InvariantCulture));
    }

    public override Task<InstanceList> ListAsync(InstanceState state, Guid? after, CancellationToken cancellationToken) =>
        _nodes[0].Client.ListInstancesAsync(state: state, after: after, limit: PageSize, cancellationToken: cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        foreach (var (stream, reading) in _streams)
        {
            await reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            stream.Dispose();
        }

        _senders.ForEach(sender => sender.Dispose());
        foreach (var node in _nodes)
        {
            await node.DisposeAsync();
        }

        await (_bus?.DisposeAsync() ?? ValueTask.CompletedTask);
        Observer.Dispose();
        _stop.Dispose();
    }

    private async Task ListenAsync(CancellationToken cancellationToken)
    {
        foreach (var node in _nodes)
        {
            var stream = new EventStreamClient(node.BaseAddress);
            _streams.Add((stream, Task.Run(() => ReadAsync(stream), CancellationToken.None)));
            await stream.Connected.WaitAsync(cancellationToken);
        }
    }

    private async Task StartNodesAsync(WebServiceOptions options, int nodes, CancellationToken cancellationToken)
    {
        while (_nodes.Count < nodes)
        {
            var name = new KeyValuePair<string, string>("WorkflowCluster:NodeName", $"node {_nodes.Count + 1}");
            var settings = nodes == 1 ? options.Settings : new Dictionary<string, string>(options.Settings.Append(name));
            var process = await WebServiceProcess.StartAsync(options with { Settings = settings }, cancellationToken);
            _nodes.Add(new ServiceNode(process.BaseAddress, process.Client, process));
            _senders.Add(HttpSender.Lean(_nodes[^1].BaseAddress));
        }

        var began = Stopwatch.GetTimestamp();
        while (nodes > 1)
        {
            var counts = await Task.WhenAll(_nodes.Select(node => CountAsync(node, cancellationToken)));
            var owned = counts.Select(count => count.Cluster?.OwnedLaneCount ?? 0).ToList();
            if (owned.Sum() == counts[0].Lanes && owned.Max() - owned.Min() <= 1)
            {
                return;
            }

            if (Stopwatch.GetElapsedTime(began) > DivisionLimit)
            {
                throw new WebServiceException(
                    $"In {DivisionLimit.TotalSeconds} s {nodes} nodes did not divide {counts[0].Lanes} lanes among them; they own "
                    + $"{string.Join(", ", owned)}. Are they on one backend, and is that no other's?");
            }

            await Task.Delay(IdlePollInterval, cancellationToken);
        }
    }

    private static byte[] StartOf(string definition, string correlationKey, JsonElement input) => JsonSerializer.SerializeToUtf8Bytes(
        new StartInstance { Definition = definition, CorrelationKey = correlationKey, Input = input }, ContractsJson.Default);

    private Task<IResponse> PostAsync<TBody>(string path, TBody body, CancellationToken cancellationToken)
    {
        var json = JsonSerializer.SerializeToUtf8Bytes(body, ContractsJson.Default);
        return SendAsync(
            _senders[0], PreparedRequest.Post(path, json).KeepingBody(), json, reply => reply.Response, cancellationToken);
    }

    /// <exception cref="WorkflowApiException">The answer is an error.</exception>
    /// <exception cref="HttpRequestException">There is no answer; what became of the request is not known.</exception>
    private async Task<T> SendAsync<T>(
        HttpSender sender, PreparedRequest request, ReadOnlyMemory<byte> body, Func<HttpReply, T> read, CancellationToken cancellationToken)
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
                    (HttpStatusCode)reply.Status, Encoding.UTF8.GetString(reply.Body.Span), $"{request.Method} {request.Target}"),
                HttpFault.Cancelled => new OperationCanceledException(reply.Detail, cancellationToken),
                HttpFault.Timeout => new TaskCanceledException(reply.Detail, new TimeoutException(reply.Detail)),
                _ => new HttpRequestException($"{request.Method} {request.Target}: {reply.Response.StatusCode}: {reply.Detail}"),
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

    /// <summary>The same node for each request of a key, and another one for the next kind of request.</summary>
    private HttpSender SenderOf(string correlationKey, int next) =>
        _senders[(int)(((uint)StringComparer.Ordinal.GetHashCode(correlationKey) + (uint)next) % (uint)_nodes.Count)];

    private static async Task<EngineStatistics> CountAsync(ServiceNode node, CancellationToken cancellationToken)
    {
        var page = await node.Client.GetMetricsAsync(cancellationToken);
        return EngineStatistics.Parse(page.Split('\n')
            .Where(line => line.StartsWith("workflow_", StringComparison.Ordinal) && !line.Contains('{', StringComparison.Ordinal))
            .Select(line => line.Split(' '))
            .ToDictionary(parts => parts[0], parts => double.Parse(parts[1], CultureInfo.InvariantCulture), StringComparer.Ordinal));
    }

    /// <summary>
    /// A stream that begins with the next event says where that is before there is one. It is left at once: by default its connection would
    /// read on for 2 s, up to 1 MB, and the service would write to it what belongs to the load that begins next.
    /// </summary>
    private static async Task<EventPosition> EndOfStreamAsync(ServiceNode node, CancellationToken cancellationToken)
    {
        using var handler = new SocketsHttpHandler { MaxResponseDrainSize = 0 };
        using var http = new HttpClient(handler) { BaseAddress = node.BaseAddress };
        using var response = await http.GetAsync(
            new Uri("events", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        return EventPosition.Parse(response.EnsureSuccessStatusCode().Headers.GetValues(ContractsHttp.EventPositionHeader).Single());
    }

    private async Task ReadAsync(EventStreamClient stream)
    {
        await foreach (var received in stream.ReadAsync(_stop.Token))
        {
            if (_nodes.Count == 1 || IsFirst(received.Event.Id))
            {
                Observer.Observe(received.Event, received.ReceivedTicks);
            }
        }
    }

    /// <summary>Whether no other stream has brought the event: its id is a lane and a number that grows.</summary>
    private bool IsFirst(string eventId)
    {
        var dash = eventId.LastIndexOf('-');
        var (lane, number) = (eventId[..dash], long.Parse(eventId.AsSpan(dash + 1), CultureInfo.InvariantCulture));
        lock (_gate)
        {
            var isFirst = number > _delivered.GetValueOrDefault(lane);
            _delivered[lane] = isFirst ? number : _delivered[lane];
            return isFirst;
        }
    }

    /// <param name="Process">Null where somebody else started it.</param>
    private sealed record ServiceNode(Uri BaseAddress, WorkflowClient Client, WebServiceProcess? Process) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            if (Process is not null)
            {
                return Process.DisposeAsync();
            }

            Client.Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
