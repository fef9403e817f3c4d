using Foundation;
using LoadTesting.Core.Load.Events;
using LoadTesting.Core.Load.Watches;
using PerformanceTesting.Backends;
using Workflow.Abstractions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace PerformanceTesting.Subjects;

/// <summary>
/// The system under test as a scenario sees it, whatever its hosting: it starts, signals, and reports events to the
/// observer, which is connected before the subject is handed out.
/// </summary>
public abstract class WorkflowSubject : IMeasuredSystem, ITimelineSource
{
    /// <summary>Instances to a page of <see cref="ListAsync"/>.</summary>
    protected const int PageSize = 1_000;

    /// <summary>The transport's name in results, where a broker carries the events.</summary>
    public const string BrokerTransport = "rabbitmq";

    /// <summary>The backend combination.</summary>
    public required string Profile { get; init; }

    /// <summary>In process, or over HTTP.</summary>
    public abstract HostingKind Hosting { get; }

    /// <summary>The process that the service runs in; this one in process.</summary>
    public abstract int ProcessId { get; }

    /// <summary>The processes of all its nodes.</summary>
    public virtual IReadOnlyList<int> ProcessIds => [ProcessId];

    public virtual IReadOnlyList<Uri> Services => [];

    /// <summary>The broker that carries the events, in words; null for the usual transport of the hosting.</summary>
    public string? Broker { get; private set; }

    /// <summary>What carries the events where that is not the hosting's own way; else null.</summary>
    public string? Transport => Broker is null ? null : BrokerTransport;

    public EventAwaiter Awaiter => Observer.Awaiter;

    public IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit => Observer.ServerSplit;

    /// <summary>Where events arrive.</summary>
    public EventObserver Observer { get; } = new();

    public void BeginMeasuring()
    {
        Observer.BeginMeasuring(BootId.Current);
        Observer.Fault?.BeginMeasuring();
    }

    /// <summary>Brings a load again and again until this process and those of the service are warm.</summary>
    public virtual Task WarmUpAsync(Func<Task> loadAsync) => WarmUpRule.RepeatAsync(loadAsync);

    public virtual bool EventsAreOrdered => false;

    public virtual Task<string?> WaitForEventsAsync(CancellationToken cancellationToken) =>
        Task.FromResult<string?>(null);

    /// <summary>Registers a definition.</summary>
    /// <returns>Its content hash.</returns>
    public abstract Task<string> RegisterAsync(string json, CancellationToken cancellationToken);

    /// <summary>Starts an instance; returns once that is durable, over HTTP with the sizes of the two bodies.</summary>
    public Task<IResponse> StartAsync(
        string definition, string correlationKey, JsonElement input, CancellationToken cancellationToken) =>
        Observer.Fault?.StartsTwice() is true
            ? StartTwiceAsync(definition, correlationKey, input, cancellationToken)
            : StartOnceAsync(definition, correlationKey, input, cancellationToken);

    /// <inheritdoc cref="StartAsync"/>
    protected abstract Task<IResponse> StartOnceAsync(
        string definition, string correlationKey, JsonElement input, CancellationToken cancellationToken);

    /// <summary>Sends a signal; returns once that is durable, over HTTP with the sizes of the two bodies.</summary>
    public abstract Task<IResponse> SignalAsync(
        string name, string correlationKey, JsonElement payload, DateTimeOffset? dueAt,
        CancellationToken cancellationToken);

    /// <summary>
    /// Gives a task to somebody; returns once that is durable, over HTTP with the sizes of the two bodies.
    /// </summary>
    public abstract Task<IResponse> AssignTaskAsync(Guid task, string assignee, CancellationToken cancellationToken);

    /// <summary>Completes a task; returns once that is durable, over HTTP with the sizes of the two bodies.</summary>
    public abstract Task<IResponse> CompleteTaskAsync(
        Guid task, JsonElement output, CancellationToken cancellationToken);

    /// <summary>Waits until nothing is pending and every event was handed out.</summary>
    /// <returns>Monotonic ticks of that moment.</returns>
    public abstract Task<long> WaitForIdleAsync(CancellationToken cancellationToken);

    /// <summary>The work that waits in the service, for the timeline.</summary>
    public async ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) =>
        new() { Backlog = PendingOf(await CountAsync(cancellationToken)) };

    /// <summary>
    /// How long the consumer of events has worked, where one reader takes all of them; null where callbacks run on the
    /// thread pool, whose own delay is watched.
    /// </summary>
    public virtual Func<TimeSpan>? ConsumerWork => null;

    /// <summary>Commands and events in flight.</summary>
    internal static long PendingOf(EngineStatistics counts) => counts.PendingCommands + counts.UnpublishedEvents;

    /// <summary>
    /// The service's own counts; its integral of the instances in flight lasts until the consumer has their last event
    /// where the transport is in this process.
    /// </summary>
    public abstract Task<EngineStatistics> CountAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Why <see cref="CountAsync"/> does not have all of the load, in a few words: the account is then held against the
    /// store alone. Null, the default, where it does.
    /// </summary>
    public virtual string? MissingCounts => null;

    /// <summary>
    /// Managed memory that a service in another process has allocated, bytes; null if it is not known.
    /// </summary>
    public virtual Task<double?> AllocatedBytesAsync(CancellationToken cancellationToken) =>
        Task.FromResult<double?>(null);

    /// <summary>A page of the instances of a state, as the service shows them.</summary>
    public abstract Task<InstanceList> ListAsync(InstanceState state, Guid? after, CancellationToken cancellationToken);

    /// <summary>A page of the open tasks, as the service shows them.</summary>
    public abstract Task<TaskList> ListOpenTasksAsync(Guid? after, CancellationToken cancellationToken);

    /// <summary>Every instance by state, counted in the service's own lists.</summary>
    public async Task<InstanceCounts> CountInstancesAsync(CancellationToken cancellationToken)
    {
        var counts = new Dictionary<InstanceState, long>();
        foreach (var state in Enum.GetValues<InstanceState>())
        {
            counts[state] = (await ListAllAsync(state, cancellationToken)).Count;
        }

        return InstanceCounts.Of(counts);
    }

    /// <summary>Every open task, as the service shows them.</summary>
    public async Task<IReadOnlyList<TaskView>> ListOpenTasksAsync(CancellationToken cancellationToken) =>
        await ReadPagesAsync(async after =>
        {
            var page = await ListOpenTasksAsync(after, cancellationToken);
            return (page.Items, page.Next);
        });

    /// <summary>Every instance that is not over, as the service shows them.</summary>
    public async Task<IReadOnlyList<InstanceView>> ListLiveAsync(CancellationToken cancellationToken)
    {
        var live = new List<InstanceView>();
        foreach (var state in (InstanceState[])[InstanceState.Running, InstanceState.Waiting, InstanceState.Suspended])
        {
            live.AddRange(await ListAllAsync(state, cancellationToken));
        }

        return live;
    }

    public abstract ValueTask DisposeAsync();

    private async Task<IResponse> StartTwiceAsync(
        string definition, string correlationKey, JsonElement input, CancellationToken cancellationToken)
    {
        await StartOnceAsync(definition, correlationKey, input, cancellationToken);
        return await StartOnceAsync(definition, correlationKey, input, cancellationToken);
    }

    private Task<List<InstanceView>> ListAllAsync(InstanceState state, CancellationToken cancellationToken) =>
        ReadPagesAsync(async after =>
        {
            var page = await ListAsync(state, after, cancellationToken);
            return (page.Items, page.Next);
        });

    private static async Task<List<T>> ReadPagesAsync<T>(Func<Guid?, Task<(IReadOnlyList<T> Items, Guid? Next)>> read)
    {
        var all = new List<T>();
        Guid? after = null;
        do
        {
            (var items, after) = await read(after);
            all.AddRange(items);
        }
        while (after is not null);
        return all;
    }

    /// <summary>The subject's events come over this bus.</summary>
    protected BrokerEventBus Over(BrokerEventBus bus)
    {
        Broker = bus.Description;
        return bus;
    }
}
