using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Contracts.Cluster;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Signals;
using Workflow.Engine.Cluster;
using Workflow.Engine.Events;
using Workflow.Engine.Signals;
using Workflow.Engine.Tasks;

namespace Workflow.Engine;

/// <summary>
/// A durable workflow engine over a store. Start it once. Disposing it commits the accepted commands and stops it.
/// </summary>
public sealed class WorkflowEngine : IWorkflowEngine, IAsyncDisposable
{
    private readonly IWorkflowStore _store;
    private readonly WorkflowEngineOptions _options;
    private readonly ILogger _logger;
    private readonly Telemetry _telemetry = new();
    private readonly EngineMeter _meter;
    private readonly DefinitionRegistry _definitions;
    private readonly IdleCondition _idle = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly LaneServices _services;
    private readonly DeadLetterRequests _deadLetters;
    private readonly CommandRouter _router;
    private readonly InstanceRequests _instances;
    private readonly SignalRequests _signals;
    private readonly TaskRequests _tasks;
    private readonly StoreMaintenance _maintenance;
    private readonly Lazy<Task> _drained;
    private Task _upkeep = Task.CompletedTask;
    private int _disposed;

    /// <summary>Creates an engine that does nothing until it is started.</summary>
    /// <exception cref="ArgumentException">An option is out of its range. The message names every such
    /// option.</exception>
    public WorkflowEngine(
        IWorkflowStore store, WorkflowEngineOptions options, TimeProvider timeProvider, ILoggerFactory loggerFactory)
        : this(store, options, timeProvider, loggerFactory, EngineRuntime.OfProcess)
    {
    }

    internal WorkflowEngine(
        IWorkflowStore store, WorkflowEngineOptions options, TimeProvider timeProvider, ILoggerFactory loggerFactory,
        EngineRuntime runtime)
    {
        options.Validate();
        _store = store;
        _options = options;
        _logger = new OutageLogger(loggerFactory.CreateLogger<WorkflowEngine>(), timeProvider);
        _definitions = new(
            store, Rules(options), timeProvider, _logger, options.Limits.MaxDefinitions,
            options.Limits.MaxDefinitionsSize);
        _router = new(runtime, timeProvider);
        _instances = new(store, options, _definitions, _router);
        _signals = new(store, options, _definitions, timeProvider, _router, _telemetry);
        _tasks = new(store, options, _router);
        _maintenance = new(
            store, options.Retention, timeProvider, _logger, () => _router.Slots?[0] is not null,
            () => _telemetry.Flushes.Value);
        _deadLetters = new(store, _router);
        _services = new LaneServices
        {
            Options = options,
            Store = store,
            Time = timeProvider,
            Runtime = runtime,
            Committer = store.Group is { } group ? new(group, timeProvider, _telemetry) : null,
            Logger = _logger,
            Telemetry = _telemetry,
            Activities = options.Activities.ToDictionary(a => a.Name, StringComparer.Ordinal),
            Receivers = options.SignalReceivers.ToDictionary(r => r.Name, StringComparer.Ordinal),
            Definitions = _definitions,
            IsLeaseFresh = lane => _router.Node?.Leases.IsFresh(lane) ?? true,
            LaneLost = lane => _router.Node?.Leases.Lost(lane),
            Route = _router.Route,
            ActivitySlots = new(options.Limits.MaxRunningActivities),
            Progressed = _idle.Progressed,
        };
        _meter = new(() => Statistics);
        _drained = new(DrainOnceAsync);
    }

    public EngineStatistics Statistics
    {
        get
        {
            Lane[] lanes = [.. _router.Running];
            var ticks = _router.Slots?.InFlightTicks ?? 0;
            return StatisticsWith(
                lanes, lanes.Sum(l => l.ReadInFlight().Count), (double)ticks / _services.Time.TimestampFrequency);
        }
    }

    public IReadOnlyList<LaneStatistics> LaneStatistics =>
        [.. _router.Running.Select(lane => lane.Statistics).OrderBy(lane => lane.Lane)];

    /// <summary>Whether <see cref="StartAsync(CancellationToken)"/> has ended: requests are accepted.</summary>
    public bool IsStarted { get; private set; }

    public EventPosition EndOfEvents => _router.Slots?.End ?? EventPosition.Start;

    /// <summary>
    /// Takes ownership of the store, or of its share of lanes beside other engines, loads the live instances and starts
    /// to work.
    /// </summary>
    /// <exception cref="EngineAlreadyRunningException">Another engine owns the store, and the store cannot be
    /// shared.</exception>
    /// <exception cref="LaneCountMismatchException">Other engines use the store with another number of
    /// lanes.</exception>
    /// <exception cref="StoreUnavailableException">The store cannot be reached.</exception>
    public async Task StartAsync(CancellationToken cancellationToken = default)
    {
        await _store.OpenAsync(cancellationToken);
        await _definitions.StartAsync(cancellationToken);

        // An engine with more lanes may have run here before: lanes without partitions fence it off and publish its
        // remaining events.
        var everHad = await _store.CountLanesAsync(cancellationToken);
        var anyGrew = new ReaderSignal();
        var slots = new LaneSlots(
            _options.Lanes,
            [
                .. Enumerable.Range(0, Math.Max(_options.Lanes, everHad)).Select(i =>
                    new EventLog(i, _options.EventWindow, _options.Limits.MaxEventWindowSize, _store, anyGrew)),
            ],
            anyGrew);
        _router.Start(slots);
        if (_store.Cluster is { } cluster)
        {
            var node = new ClusterNode(cluster, _services, slots);
            _router.Join(node);
            await node.StartAsync(cancellationToken);
        }
        else
        {
            foreach (var log in slots.Logs)
            {
                var lane = new Lane(new(log.Stream, slots.Count), _services, log);
                slots.Run(lane);
                await lane.StartAsync(cancellationToken);
            }
        }

        _upkeep = _services.Runtime.Run(() =>
            Task.WhenAll(_maintenance.RunAsync(_stop.Token), slots.CheckCallersAsync(_services.Time, _stop.Token)));
        IsStarted = true;
        Log.EngineStarted(_logger, _store.Description, _options.Lanes);
    }

    public ClusterInfo DescribeCluster() =>
        new(Partitions.Count, [.. Enumerable.Range(0, _options.Lanes).Select(DescribeLane)]);

    /// <summary>Who has the lane of a partition, if it does not run here; null if it does.</summary>
    public LaneOwner? OwnerElsewhere(short partition) =>
        _router.Slots?.Of(partition) is null ? DescribeLane(partition % _options.Lanes) : null;

    private LaneOwner DescribeLane(int lane) => _router.Node?.DescribeLane(lane)
        ?? (_router.Slots?[lane] is { } own
            ? new(lane, _options.Cluster.NodeName, Address: null, own.Epoch)
            : new(lane, Node: null, Address: null, Epoch: null));

    /// <remarks>
    /// The event follows in a separate commit, even if the version was registered before without its event. A caller
    /// who got no answer and repeats the request therefore triggers the event.
    /// </remarks>
    public async Task<(DefinitionInfo Definition, bool Created)> RegisterDefinitionAsync(
        ReadOnlyMemory<byte> json, CancellationToken cancellationToken = default)
    {
        var registered = await _definitions.RegisterAsync(json, cancellationToken);
        if (_options.PublishesDefinitions)
        {
            var (name, version, hash, _) = registered.Info;
            await _router.ExecuteAsync(
                Partitioning.OfKey(name), RemoteKind.Register, new RegisteredLaneCommand(name, version, hash),
                _ => new() { Definition = name, Version = version, RequestHash = hash }, cancellationToken);
        }

        return registered;
    }

    /// <summary>
    /// From the next renewal on, other nodes send requests that need a reply to this address, and this node sends to
    /// theirs. Has no effect without <see cref="ClusterOptions.Peers"/> or if the store has one engine.
    /// </summary>
    /// <param name="address">An absolute address at which other nodes reach this one.</param>
    public void PublishAddress(Uri address)
    {
        if (_router.Node is { } node)
        {
            node.Peers.Address = address;
        }
    }

    /// <summary>
    /// Whether a request presents the key of a node that shares this store. Compared in constant time.
    /// </summary>
    public bool IsPeerKey(string? presented) => _router.Node?.Peers.IsOwnKey(presented) ?? false;

    /// <summary>Executes a request of another node for a lane of this node.</summary>
    /// <exception cref="InvalidCommandException">This version does not know the request.</exception>
    public Task<PeerReply> ExecuteForPeerAsync(PeerRequest request) =>
        _router.Node?.Commands.ExecuteAsync(request) ?? Task.FromResult(new PeerReply(PeerOutcome.NotOwner));

    public DefinitionValidation ValidateDefinition(ReadOnlyMemory<byte> json) => _definitions.Validate(json);
    public IReadOnlyList<DefinitionInfo> ListDefinitions() => _definitions.List();
    public string GetDefinition(string name, int? version = null) => _definitions.Get(name, version).Json;

    public Task<InstanceStarted> StartAsync(StartCommand command, CancellationToken cancellationToken = default) =>
        _instances.StartAsync(command, cancellationToken);

    public Task<SignalAccepted> SignalAsync(SignalCommand command, CancellationToken cancellationToken = default) =>
        _signals.SignalAsync(command, cancellationToken);

    public Task<InstanceView?> FindInstanceAsync(Guid id, CancellationToken cancellationToken = default) =>
        _instances.FindAsync(id, cancellationToken);

    public Task<InstanceList> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken = default) =>
        _instances.ListAsync(query, cancellationToken);

    public Task<ListCount> CountInstancesAsync(
        InstanceQuery query, int most, CancellationToken cancellationToken = default) =>
        _instances.CountAsync(query, most, cancellationToken);

    public Task<IReadOnlyList<HistoryEntry>?> FindHistoryAsync(
        Guid id, CancellationToken cancellationToken = default) =>
        _instances.FindHistoryAsync(id, cancellationToken);

    public Task<InstanceCancellation> CancelAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default) =>
        _instances.CancelAsync(id, idempotencyKey, cancellationToken);

    public Task<InstanceChange> SuspendAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default) =>
        _instances.ChangeAsync(RemoteKind.Suspend, "suspended", id, idempotencyKey, cancellationToken);

    public Task<InstanceChange> ResumeAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default) =>
        _instances.ChangeAsync(RemoteKind.Resume, "resumed", id, idempotencyKey, cancellationToken);

    public Task<InstanceChange> RetryAsync(RetryCommand command, CancellationToken cancellationToken = default) =>
        _instances.RetryAsync(command, cancellationToken);

    public Task<TaskView?> FindTaskAsync(Guid id, CancellationToken cancellationToken = default) =>
        _tasks.FindAsync(id, cancellationToken);

    public Task<TaskList> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken = default) =>
        _tasks.ListAsync(query, cancellationToken);

    public Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken = default) =>
        _tasks.CountAsync(query, most, cancellationToken);

    public Task<TaskAccepted> AssignTaskAsync(
        Guid id, string assignee, string? idempotencyKey, CancellationToken cancellationToken = default) =>
        _tasks.AssignAsync(id, assignee, idempotencyKey, cancellationToken);

    public Task<TaskAccepted> CompleteTaskAsync(
        CompleteTaskCommand command, CancellationToken cancellationToken = default) =>
        _tasks.CompleteAsync(command, cancellationToken);

    public Task<DeadLetterList> ListDeadLettersAsync(
        DeadLetterQuery query, CancellationToken cancellationToken = default) =>
        _deadLetters.ListAsync(query, cancellationToken);

    public Task<ListCount> CountDeadLettersAsync(
        DeadLetterQuery query, int most, CancellationToken cancellationToken = default) =>
        _deadLetters.CountAsync(query, most, cancellationToken);

    public Task<DeadLetterReplayed> ReplayDeadLetterAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default) =>
        _deadLetters.ReplayAsync(id, idempotencyKey, cancellationToken);

    public IAsyncEnumerable<PositionedEvent> ReadEventsAsync(
        EventPosition? after, CancellationToken cancellationToken = default)
    {
        // Take the position now and not at the first read: events in between must not be missed.
        var (logs, anyGrew) = _router.Slots is { } slots ? (slots.Logs, slots.AnyGrew) : ([], new ReaderSignal());
        return EventReader.ReadAsync(
            logs, anyGrew, after ?? EndOfEvents, asked => LocateEventsAsync(asked, cancellationToken),
            () => _router.Node?.Follow(), _stop.Token, cancellationToken);
    }

    public ValueTask<EventBegin> LocateEventsAsync(
        EventPosition asked, CancellationToken cancellationToken = default) =>
        _router.Slots is { } slots
            ? slots.LocateAsync(asked, _store.Cluster, cancellationToken)
            : new(new EventBegin(asked));

    public Task WaitForIdleAsync(CancellationToken cancellationToken = default) =>
        _idle.WaitAsync(_router.IsIdle, cancellationToken);

    /// <summary>Disposes the engine. Hosts use this name.</summary>
    public Task StopAsync(CancellationToken cancellationToken = default) =>
        DisposeAsync().AsTask().WaitAsync(cancellationToken);

    /// <summary>
    /// Commits and acknowledges accepted commands and refuses new ones. The engine's figures are exported until it is
    /// disposed.
    /// </summary>
    public Task DrainAsync() => _drained.Value;

    /// <summary>Drains the engine and releases the store.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await DrainAsync();
        await _services.Runtime.CancelAsync(_stop);
        await _upkeep.ConfigureAwait(
            ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        await _store.DisposeAsync();
        _meter.Dispose();
        _stop.Dispose();
        _idle.End();
    }

    private async Task DrainOnceAsync()
    {
        _router.Stop();
        if (_router.Node is { } node)
        {
            await node.DisposeAsync();
        }

        await Task.WhenAll(_router.Running.Select(l => l.DisposeAsync().AsTask()));
    }

    /// <summary>Reads the published position first, so that the difference is never negative.</summary>
    private static long Unpublished(Lane lane)
    {
        var published = lane.PublishedSequence;
        return lane.Events.Last - published;
    }

    private EngineStatistics StatisticsWith(Lane[] lanes, long inFlight, double inFlightSeconds) => new()
    {
        Lanes = _options.Lanes,
        PendingCommands = _telemetry.PendingCommands.Value,
        LiveInstances = lanes.Sum(l => l.Gauges.LiveInstances),
        ResidentInstances = lanes.Sum(l => (long)l.Gauges.ResidentInstances),
        Wakeups = _telemetry.Wakeups.Value,
        DormantLookUps = _telemetry.LookUps.Value,
        DormantLookUpSeconds = _telemetry.LookUpSeconds,
        InFlight = inFlight,
        InFlightSeconds = inFlightSeconds,
        OpenTasks = lanes.Sum(l => l.Gauges.OpenTasks),
        BufferedSignals = lanes.Sum(l => l.Gauges.BufferedSignals),
        RunningActivities = _services.ActivitySlots.Running,
        WaitingActivities = _services.ActivitySlots.Waiting,
        UnpublishedEvents = lanes.Sum(Unpublished),
        DeadLetters = lanes.Sum(l => l.Gauges.DeadLetters),
        DeadSignals = lanes.Sum(l => l.Gauges.DeadSignals),
        DeadLettered = _telemetry.DeadLettered.Value,
        Started = _telemetry.Started.Value,
        Called = _telemetry.Called.Value,
        Completed = _telemetry.Completed.Value,
        Failed = _telemetry.Failed.Value,
        Cancelled = _telemetry.Cancelled.Value,
        Suspended = _telemetry.Suspended.Value,
        Resumed = _telemetry.Resumed.Value,
        Retried = _telemetry.Retried.Value,
        Signals = _telemetry.Signals.Value,
        SignalsConsumed = _telemetry.SignalsConsumed.Value,
        SignalsExpired = _telemetry.SignalsExpired.Value,
        UnreceivedSignals = _telemetry.UnreceivedSignals.Value,
        Commits = _telemetry.Commits.Value,
        Flushes = _telemetry.Flushes.Value,
        FlushedCommands = _telemetry.FlushedCommands.Value,
        FailedFlushes = _telemetry.FailedFlushes.Value,
        LaneReloads = _telemetry.LaneReloads.Value,
        StalledSeconds = lanes.Select(l => l.StalledFor.TotalSeconds).DefaultIfEmpty().Max(),
        RejectedCommands = _telemetry.RejectedCommands.Value,
        CrossPartitionMessages = _telemetry.CrossPartitionMessages.Value,
        Cluster = _router.Node?.Statistics,
        Notifications = _options.Cluster.Notifier.Counts,
    };

    private static DefinitionRules Rules(WorkflowEngineOptions options) => new()
    {
        Activities = options.Activities.Select(a => a.Name).ToHashSet(StringComparer.Ordinal),
        ReservedEvents = EventTypes.Reserved,
    };
}
