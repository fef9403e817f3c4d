using System.Net;
using System.Net.Sockets;
using Workflow.Contracts;
using Workflow.Contracts.Bulk;
using Workflow.Contracts.Cluster;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;

namespace Workflow.Client;

/// <summary>
/// Client of the web service. Every method throws <see cref="WorkflowApiException"/> if the service answers with an
/// error, and <see cref="HttpRequestException"/> if no answer comes in time. Thread-safe: create one client and reuse
/// it.
/// </summary>
public sealed class WorkflowClient : IDisposable
{
    private readonly HttpClient _http;
    private readonly bool _ownsHttp;

    /// <param name="baseAddress">E.g. <c>http://127.0.0.1:5080</c>.</param>
    /// <param name="options">Connections and deadlines; the defaults if null.</param>
    public WorkflowClient(Uri baseAddress, WorkflowClientOptions? options = null)
        : this(CreateHttp(baseAddress, options ?? new WorkflowClientOptions()), ownsHttp: true)
    {
    }

    /// <summary>Uses a client that the caller owns; its base address must be set.</summary>
    public WorkflowClient(HttpClient http)
        : this(http, ownsHttp: false)
    {
    }

    private WorkflowClient(HttpClient http, bool ownsHttp)
    {
        _http = http;
        _ownsHttp = ownsHttp;
        Api = WorkflowApi.Over(http);
    }

    /// <summary>The bare routes, which throw <see cref="ApiException"/>.</summary>
    public IWorkflowApi Api { get; }

    /// <summary>Registers a definition given as canonical JSON; the same content again changes nothing.</summary>
    public Task<DefinitionInfo> RegisterDefinitionAsync(string json, CancellationToken cancellationToken = default) =>
        Typed(Api.RegisterDefinitionAsync(JsonText(json), cancellationToken: cancellationToken));

    public Task<DefinitionValidation> ValidateDefinitionAsync(
        string json, CancellationToken cancellationToken = default) =>
        Typed(Api.ValidateDefinitionAsync(JsonText(json), cancellationToken: cancellationToken));

    /// <summary>
    /// Registers every executable process of a BPMN 2.0 file; the same content again changes nothing.
    /// </summary>
    /// <returns>The first definition, with all of them in <see cref="DefinitionInfo.Definitions"/>.</returns>
    public Task<DefinitionInfo> RegisterBpmnAsync(string xml, CancellationToken cancellationToken = default) =>
        RegisterBpmnAsync(xml, passOverUnknown: false, cancellationToken);

    /// <summary>As without <paramref name="passOverUnknown"/>.</summary>
    /// <param name="passOverUnknown">
    /// Whether unknown content that has no effect is ignored and listed in
    /// <see cref="DefinitionInfo.PassedOver"/>.
    /// </param>
    public Task<DefinitionInfo> RegisterBpmnAsync(
        string xml, bool passOverUnknown, CancellationToken cancellationToken = default) =>
        Typed(Api.RegisterDefinitionAsync(XmlText(xml), passOverUnknown ? "report" : null, cancellationToken));

    /// <summary>Checks a BPMN 2.0 file without registering anything.</summary>
    public Task<DefinitionValidation> ValidateBpmnAsync(string xml, CancellationToken cancellationToken = default) =>
        ValidateBpmnAsync(xml, passOverUnknown: false, cancellationToken);

    /// <summary>As without <paramref name="passOverUnknown"/>.</summary>
    /// <param name="passOverUnknown">
    /// Whether unknown content that has no effect is ignored and listed in
    /// <see cref="DefinitionValidation.PassedOver"/>.
    /// </param>
    public Task<DefinitionValidation> ValidateBpmnAsync(
        string xml, bool passOverUnknown, CancellationToken cancellationToken = default) =>
        Typed(Api.ValidateDefinitionAsync(XmlText(xml), passOverUnknown ? "report" : null, cancellationToken));

    public Task<IReadOnlyList<DefinitionInfo>> ListDefinitionsAsync(CancellationToken cancellationToken = default) =>
        Typed(Api.ListDefinitionsAsync(cancellationToken));

    /// <summary>The canonical JSON of a definition; of the newest version if none is given.</summary>
    public Task<string> GetDefinitionAsync(
        string name, int? version = null, CancellationToken cancellationToken = default) =>
        Typed(
            version is { } v
                ? Api.GetDefinitionVersionAsync(name, v, cancellationToken)
                : Api.GetDefinitionAsync(name, cancellationToken));

    /// <summary>
    /// Starts an instance; returns once the start is durable. The same idempotency key has one effect.
    /// </summary>
    public Task<InstanceStarted> StartAsync(
        StartInstance start, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.StartAsync(start, idempotencyKey, cancellationToken));

    /// <summary>The committed state of an instance; null if there is no such instance.</summary>
    public async Task<InstanceView?> FindInstanceAsync(Guid id, CancellationToken cancellationToken = default)
    {
        try
        {
            return await Typed(Api.GetInstanceAsync(id, cancellationToken)).ConfigureAwait(false);
        }
        catch (WorkflowApiException e) when (e.Code == "instance-not-found")
        {
            return null;
        }
    }

    /// <summary>
    /// A page of instances by id; null does not restrict. At most <paramref name="limit"/> (1 to 1,000; 100 by
    /// default).
    /// </summary>
    /// <param name="startedFrom">
    /// Only instances whose start was requested at or after this time, to the millisecond.
    /// </param>
    /// <param name="startedTo">Only instances whose start was requested before this time.</param>
    public Task<InstanceList> ListInstancesAsync(
        string? definition = null,
        InstanceState? state = null,
        string? correlationKey = null,
        Guid? after = null,
        int? limit = null,
        DateTimeOffset? startedFrom = null,
        DateTimeOffset? startedTo = null,
        CancellationToken cancellationToken = default) =>
        ListInstancesAsync(
            new InstanceFilter
            {
                Definition = definition, State = state, CorrelationKey = correlationKey, StartedFrom = startedFrom,
                StartedTo = startedTo,
            },
            after, limit, cancellationToken);

    /// <summary>
    /// A page of the instances that match, by id. At most <paramref name="limit"/> (1 to 1,000; 100 by default). A page
    /// by a prefix of a definition or correlation key may have fewer, or none, and a next page: the service looks at
    /// 10,000 instances for each.
    /// </summary>
    public Task<InstanceList> ListInstancesAsync(
        InstanceFilter filter, Guid? after = null, int? limit = null, CancellationToken cancellationToken = default) =>
        Typed(Api.ListInstancesAsync(
            filter.Definition, Word(filter.State), filter.CorrelationKey, after, limit, Instant(filter.StartedFrom),
            Instant(filter.StartedTo), filter.DefinitionPrefix, filter.CorrelationKeyPrefix, filter.IdPrefix,
            cancellationToken));

    public Task<IReadOnlyList<HistoryEntry>> GetHistoryAsync(Guid id, CancellationToken cancellationToken = default) =>
        Typed(Api.GetHistoryAsync(id, cancellationToken));

    /// <summary>
    /// Sends a signal by correlation key; returns once it is durable. The same idempotency key has one effect.
    /// </summary>
    public Task<SignalAccepted> SignalAsync(
        SendSignal signal, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.SignalAsync(signal, idempotencyKey, cancellationToken));

    /// <summary>
    /// Sends a signal to an instance; returns once it is durable. The same idempotency key has one effect.
    /// </summary>
    public Task<SignalAccepted> SignalInstanceAsync(
        Guid id, SendInstanceSignal signal, string? idempotencyKey = null,
        CancellationToken cancellationToken = default) =>
        Typed(Api.SignalInstanceAsync(id, signal, idempotencyKey, cancellationToken));

    /// <summary>
    /// Cancels an instance, its tasks and sub-workflows; returns once that is durable. Cancelling again changes
    /// nothing.
    /// </summary>
    /// <exception cref="WorkflowApiException">404 if there is no such instance; 409 if it has ended.</exception>
    public Task<InstanceCancellation> CancelAsync(
        Guid id, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.CancelAsync(id, idempotencyKey, cancellationToken));

    /// <summary>
    /// Suspends an instance; returns once that is durable. Signals and results are kept until it is resumed. Suspending
    /// again changes nothing.
    /// </summary>
    /// <exception cref="WorkflowApiException">404 if there is no such instance; 409 if it has ended.</exception>
    public Task<InstanceChange> SuspendAsync(
        Guid id, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.SuspendAsync(id, idempotencyKey, cancellationToken));

    /// <summary>
    /// Resumes a suspended instance; returns once that is durable. An instance that is not suspended does not change.
    /// </summary>
    /// <exception cref="WorkflowApiException">404 if there is no such instance; 409 if it has ended.</exception>
    public Task<InstanceChange> ResumeAsync(
        Guid id, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.ResumeAsync(id, idempotencyKey, cancellationToken));

    /// <summary>
    /// Resumes a failed instance where it stopped; returns once that is durable. The same idempotency key has one
    /// effect.
    /// </summary>
    /// <param name="variables">A JSON object whose members are set before; null for none.</param>
    /// <exception cref="WorkflowApiException">
    /// 404 if there is no such instance; 409 if it has not failed, or another instance called it.
    /// </exception>
    public Task<InstanceChange> RetryAsync(
        Guid id, JsonElement? variables = null, string? idempotencyKey = null,
        CancellationToken cancellationToken = default) =>
        RetryAsync(id, new RetryInstance { Variables = variables }, idempotencyKey, cancellationToken);

    /// <summary>As above, also at another step: one of <see cref="InstanceView.RetrySteps"/>.</summary>
    /// <exception cref="WorkflowApiException">
    /// 404 if there is no such instance; 409 if it has not failed, or another instance called it; 400 if it cannot
    /// continue at the step.
    /// </exception>
    public Task<InstanceChange> RetryAsync(
        Guid id, RetryInstance retry, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.RetryAsync(id, retry, idempotencyKey, cancellationToken));

    /// <summary>
    /// Retries instances, each by itself; returns once the outcome of each is known. Repeating the call with the same
    /// idempotency key has one effect on each.
    /// </summary>
    /// <param name="ids">1 to 1,000.</param>
    /// <exception cref="WorkflowApiException">400 for another number of ids.</exception>
    public Task<BulkReport> RetryManyAsync(
        IReadOnlyList<Guid> ids, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.RetryManyAsync(new BulkRequest { Ids = ids }, idempotencyKey, cancellationToken));

    /// <summary>
    /// Retries failed instances that match, oldest first, each by itself. Repeating the call with the same idempotency
    /// key retries none twice, but also those that have failed since.
    /// </summary>
    /// <param name="filter">Its state must be null or failed.</param>
    /// <param name="limit">The most instances, 1 to 1,000.</param>
    /// <returns>The outcome of each; empty if no instance matches.</returns>
    /// <exception cref="ArgumentException">The filter asks for another state.</exception>
    public async Task<BulkReport> RetryManyAsync(
        InstanceFilter filter, int limit = 1_000, string? idempotencyKey = null,
        CancellationToken cancellationToken = default)
    {
        if (filter.State is not (null or InstanceState.Failed))
        {
            throw new ArgumentException(
                $"Only failed instances can be retried, and the filter asks for {filter.State}. Leave the state out.",
                nameof(filter));
        }

        var ids = await FindAsync(filter, [InstanceState.Failed], limit, cancellationToken).ConfigureAwait(false);
        return ids.Count == 0
            ? new([])
            : await RetryManyAsync(ids, idempotencyKey, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Cancels instances, each by itself; returns once the outcome of each is known. Repeating the call with the same
    /// idempotency key has one effect on each.
    /// </summary>
    /// <param name="ids">1 to 1,000.</param>
    /// <exception cref="WorkflowApiException">400 for another number of ids.</exception>
    public Task<BulkReport> CancelManyAsync(
        IReadOnlyList<Guid> ids, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.CancelManyAsync(new BulkRequest { Ids = ids }, idempotencyKey, cancellationToken));

    /// <summary>
    /// Cancels unfinished instances that match: those that wait, those that run, then those that are suspended, each
    /// oldest first.
    /// </summary>
    /// <param name="filter">Its state must be null or one of these.</param>
    /// <param name="limit">The most instances, 1 to 1,000.</param>
    /// <returns>The outcome of each; empty if no instance matches.</returns>
    /// <exception cref="ArgumentException">The filter asks for a state in which instances have ended.</exception>
    public async Task<BulkReport> CancelManyAsync(
        InstanceFilter filter, int limit = 1_000, string? idempotencyKey = null,
        CancellationToken cancellationToken = default)
    {
        InstanceState[] unfinished = [InstanceState.Waiting, InstanceState.Running, InstanceState.Suspended];
        if (filter.State is { } state && !unfinished.Contains(state))
        {
            throw new ArgumentException(
                $"Only unfinished instances can be cancelled, and the filter asks for {state}. Leave the state out.",
                nameof(filter));
        }

        InstanceState[] states = filter.State is { } one ? [one] : unfinished;
        var ids = await FindAsync(filter, states, limit, cancellationToken).ConfigureAwait(false);
        return ids.Count == 0
            ? new([])
            : await CancelManyAsync(ids, idempotencyKey, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// A page of tasks by id; null does not restrict. At most <paramref name="limit"/> (1 to 1,000; 100 by default).
    /// </summary>
    public Task<TaskList> ListTasksAsync(
        string? assignee = null,
        string? group = null,
        TaskState? state = null,
        Guid? after = null,
        int? limit = null,
        CancellationToken cancellationToken = default) =>
        Typed(Api.ListTasksAsync(
            assignee, group, Word(state), after, limit, cancellationToken));

    /// <summary>The committed state of a task.</summary>
    /// <exception cref="WorkflowApiException">404 if there is no such task.</exception>
    public Task<TaskView> GetTaskAsync(Guid id, CancellationToken cancellationToken = default) =>
        Typed(Api.GetTaskAsync(id, cancellationToken));

    /// <summary>
    /// Assigns an open task; returns once that is durable. Repeating the same assignment changes nothing.
    /// </summary>
    /// <exception cref="WorkflowApiException">
    /// 404 if there is no such task; 409 if it is no longer open.
    /// </exception>
    public Task<TaskAccepted> AssignTaskAsync(
        Guid id, string assignee, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.AssignTaskAsync(id, new AssignTask { Assignee = assignee }, idempotencyKey, cancellationToken));

    /// <summary>
    /// Completes an open task; returns once that is durable. The same idempotency key has one effect.
    /// </summary>
    /// <exception cref="WorkflowApiException">
    /// 404 if there is no such task; 409 if it is no longer open, with its assignee and the time it ended.
    /// </exception>
    public Task<TaskAccepted> CompleteTaskAsync(
        Guid id, JsonElement? output = null, string? idempotencyKey = null,
        CancellationToken cancellationToken = default) =>
        Typed(Api.CompleteTaskAsync(id, new CompleteTask { Output = output }, idempotencyKey, cancellationToken));

    /// <summary>
    /// A page of dead letters by id: open or replayed. At most <paramref name="limit"/> (1 to 1,000; 100 by default).
    /// </summary>
    public Task<DeadLetterList> ListDeadLettersAsync(
        bool replayed = false,
        DeadLetterKind? kind = null,
        Guid? instance = null,
        Guid? after = null,
        int? limit = null,
        CancellationToken cancellationToken = default) =>
        Typed(Api.ListDeadLettersAsync(
            replayed ? "replayed" : null, Word(kind), instance, after, limit, cancellationToken));

    /// <summary>
    /// Applies a dead letter; returns once that is durable. Repeating the call has no further effect.
    /// </summary>
    /// <exception cref="WorkflowApiException">
    /// 404 if there is no such dead letter; 409 if the replay failed too.
    /// </exception>
    public Task<DeadLetterReplayed> ReplayDeadLetterAsync(
        Guid id, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.ReplayDeadLetterAsync(id, idempotencyKey, cancellationToken));

    /// <summary>
    /// Applies dead letters, each by itself; returns once the outcome of each is known. Repeating the call has no
    /// further effect on those that were applied.
    /// </summary>
    /// <param name="ids">1 to 1,000.</param>
    /// <exception cref="WorkflowApiException">400 for another number of ids.</exception>
    public Task<BulkReport> ReplayManyAsync(
        IReadOnlyList<Guid> ids, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        Typed(Api.ReplayManyAsync(new BulkRequest { Ids = ids }, idempotencyKey, cancellationToken));

    /// <summary>Applies open dead letters that match, oldest first.</summary>
    /// <param name="limit">The most dead letters, 1 to 1,000.</param>
    /// <returns>The outcome of each; empty if no dead letter matches.</returns>
    public async Task<BulkReport> ReplayManyAsync(
        DeadLetterFilter filter, int limit = 1_000, string? idempotencyKey = null,
        CancellationToken cancellationToken = default)
    {
        List<Guid> ids = [];
        await CollectAsync(ids, limit, async (after, left) =>
        {
            var page = await ListDeadLettersAsync(
                kind: filter.Kind, instance: filter.Instance, after: after, limit: left,
                cancellationToken: cancellationToken).ConfigureAwait(false);
            return (page.Items.Select(letter => letter.Id), page.Next);
        }).ConfigureAwait(false);

        return ids.Count == 0
            ? new([])
            : await ReplayManyAsync(ids, idempotencyKey, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Succeeds while the service can serve.</summary>
    /// <exception cref="WorkflowApiException">
    /// The service is not ready; <see cref="WorkflowApiException.Detail"/> gives the reason.
    /// </exception>
    public Task EnsureReadyAsync(CancellationToken cancellationToken = default) =>
        Typed(Api.ReadyAsync(cancellationToken));

    /// <summary>Who has which lane.</summary>
    public Task<ClusterInfo> GetClusterAsync(CancellationToken cancellationToken = default) =>
        Typed(Api.GetClusterAsync(cancellationToken));

    /// <summary>The service's counters as Prometheus text.</summary>
    public Task<string> GetMetricsAsync(CancellationToken cancellationToken = default) =>
        Typed(Api.GetMetricsAsync(cancellationToken));

    public void Dispose()
    {
        if (_ownsHttp)
        {
            _http.Dispose();
        }
    }

    private async Task<IReadOnlyList<Guid>> FindAsync(
        InstanceFilter filter, IReadOnlyList<InstanceState> states, int limit, CancellationToken cancellationToken)
    {
        List<Guid> ids = [];
        foreach (var state in states.TakeWhile(_ => ids.Count < limit || limit < 1))
        {
            await CollectAsync(ids, limit, async (after, left) =>
            {
                var page = await ListInstancesAsync(
                    filter with { State = state }, after, left, cancellationToken).ConfigureAwait(false);
                return (page.Items.Select(instance => instance.Id), page.Next);
            }).ConfigureAwait(false);
        }

        return ids;
    }

    /// <summary>Adds the ids of a list, page by page, until there are enough or no more.</summary>
    /// <param name="list">Reads the page after an id, with at most the given number of items.</param>
    private static async Task CollectAsync(
        List<Guid> ids, int limit, Func<Guid?, int, Task<(IEnumerable<Guid> Ids, Guid? Next)>> list)
    {
        Guid? after = null;
        do
        {
            var (found, next) = await list(after, limit - ids.Count).ConfigureAwait(false);
            ids.AddRange(found);
            after = next;
        }
        while (after is not null && ids.Count < limit);
    }

    private static string? Word<T>(T? value)
        where T : struct, Enum => value is { } word ? JsonNamingPolicy.CamelCase.ConvertName(word.ToString()) : null;

    private static HttpClient CreateHttp(Uri baseAddress, WorkflowClientOptions options)
    {
        var address = new Uri(baseAddress.AbsoluteUri.TrimEnd('/'));
        var connections = options.CreateHandler();
        var http = new HttpClient(
            options.RoutesToOwners ? new OwnerRouting(address, options.Key, connections) : connections)
        {
            BaseAddress = address,
            Timeout = options.RequestTimeout,
            DefaultRequestVersion = HttpVersion.Version11,
            DefaultRequestHeaders = { { "Accept", "application/json, application/problem+json, text/plain" } },
        };
        if (options.Key is not null)
        {
            http.DefaultRequestHeaders.Add(ContractsHttp.KeyHeader, options.Key);
        }

        return http;
    }

    private static StringContent JsonText(string json) => new(json, Encoding.UTF8, "application/json");
    private static StringContent XmlText(string xml) => new(xml, Encoding.UTF8, "application/xml");

    private static string? Instant(DateTimeOffset? instant) =>
        instant?.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.FFFFFFF'Z'", CultureInfo.InvariantCulture);

    private static async Task<T> Typed<T>(Task<T> call)
    {
        try
        {
            return await call.ConfigureAwait(false);
        }
        catch (ApiException e)
        {
            throw WorkflowApi.ErrorOf(e);
        }
        catch (OperationCanceledException e) when (e.InnerException is TimeoutException)
        {
            throw new HttpRequestException($"The service did not answer in time: {e.Message}", e);
        }
        catch (SocketException e)
        {
            // Of a connection that is reset as soon as it is made: HttpClient leaves it as it is.
            throw new HttpRequestException(
                HttpRequestError.ConnectionError, $"The service did not take the connection: {e.Message}", e);
        }
    }
}

public sealed record WorkflowClientOptions
{
    /// <summary>
    /// The maximum number of connections, each with one request at a time (HTTP/1.1). Default 1,024. Further requests
    /// wait inside the client.
    /// </summary>
    public int MaxConnections { get; init; } = 1024;

    /// <summary>The deadline for connecting. Default 5 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The deadline for a request, including the wait for a connection. Default 30 s.</summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The time after which an unused connection is closed. Default 90 s, less than the service's 130 s, so that the
    /// client closes first.
    /// </summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromSeconds(90);

    /// <summary>One of the service's keys (<c>Access:Keys</c>). Null (the default) if it requires none.</summary>
    public string? Key { get; init; }

    /// <summary>
    /// Whether each request goes to the node that has the lane of its key or id, by the addresses that nodes publish
    /// for one another. The base address is one of the nodes, or leads to them, and gets what no owner is known for.
    /// Default false: behind a load balancer, clients may not reach the nodes' own addresses.
    /// </summary>
    public bool RoutesToOwners { get; init; }

    internal SocketsHttpHandler CreateHandler() => new()
    {
        MaxConnectionsPerServer = MaxConnections,
        ConnectTimeout = ConnectTimeout,
        PooledConnectionIdleTimeout = IdleTimeout,
        PooledConnectionLifetime = Timeout.InfiniteTimeSpan,
        AllowAutoRedirect = false,
        AutomaticDecompression = System.Net.DecompressionMethods.None,
        UseCookies = false,
        UseProxy = false,
        ActivityHeadersPropagator = null,
    };
}
