using Microsoft.Extensions.Logging;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;
using Workflow.Engine.Activities;
using Workflow.Engine.Cluster;
using Workflow.Engine.Commands;
using Workflow.Engine.Configuration;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Events;
using Workflow.Engine.Flush;
using Workflow.Engine.Instances;
using Workflow.Engine.Lanes;
using Workflow.Engine.Signals;
using Workflow.Engine.Tasks;

namespace Workflow.Engine;

/// <summary>A durable workflow engine over a store. Start it once; dispose it to stop it: what was accepted is committed first.</summary>
public sealed partial class WorkflowEngine : IWorkflowEngine, IAsyncDisposable
{
    private const int MaxChildrenShown = 1_000;
    private readonly IWorkflowStore _store;
    private readonly WorkflowEngineOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Telemetry _telemetry = new();
    private readonly EngineMeter _meter;
    private readonly DefinitionRegistry _definitions;
    private readonly IdleCondition _idle = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly LaneServices _services;
    private readonly DeadLetterQueries _deadLetters;
    private volatile LaneSlots? _slots;
    private volatile ClusterNode? _node;
    private Task _trimming = Task.CompletedTask;
    private long _routed;
    private int _disposed;

    /// <summary>Makes an engine that does nothing until it is started.</summary>
    /// <exception cref="ArgumentException">An option is out of its range; every such option is named.</exception>
    public WorkflowEngine(IWorkflowStore store, WorkflowEngineOptions options, TimeProvider timeProvider, ILoggerFactory loggerFactory)
        : this(store, options, timeProvider, loggerFactory, EngineRuntime.OfProcess)
    {
    }

    internal WorkflowEngine(
        IWorkflowStore store, WorkflowEngineOptions options, TimeProvider timeProvider, ILoggerFactory loggerFactory, EngineRuntime runtime)
    {
        options.Validate();
        _store = store;
        _options = options;
        _time = timeProvider;
        _logger = loggerFactory.CreateLogger<WorkflowEngine>();
        _definitions = new(store, Rules(options), timeProvider, options.Limits.MaxDefinitions, options.Limits.MaxDefinitionsSize);
        _deadLetters = new(store, (deadLetter, key, token) =>
        {
            var hash = CommandChecks.Hash(key, deadLetter.Id.ToString());
            return ExecuteAsync(
                deadLetter.Partition, RemoteKind.Replay, () => new ReplayLaneCommand(deadLetter, key, hash),
                () => new() { Letter = deadLetter, IdempotencyKey = key, RequestHash = hash }, token);
        });
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
            DefinitionOf = (name, version) => _definitions.Get(name, version),
            FindDefinition = _definitions.Find,
            FindStartedBy = _definitions.FindStartedBy,
            EnsureDefinitions = _definitions.EnsureAsync,
            IsLeaseFresh = () => _node?.IsLeaseFresh ?? true,
            LaneLost = lane => _node?.LaneLost(lane),
            Route = RouteMessage,
            ActivitySlots = new(options.Limits.MaxRunningActivities),
            Progressed = _idle.Progressed,
        };
        _meter = new(() => Statistics);
    }

    public EngineStatistics Statistics
    {
        get
        {
            Lane[] lanes = [.. Running];
            var inFlight = lanes.Select(l => l.ReadInFlight()).ToArray();
            return StatisticsWith(lanes, inFlight.Sum(l => l.Count), inFlight.Sum(l => l.Seconds));
        }
    }

    public IReadOnlyList<LaneStatistics> LaneStatistics => [.. Running.Select(lane => lane.Statistics).OrderBy(lane => lane.Lane)];
    public EventPosition EndOfEvents => _slots?.End ?? EventPosition.Start;
    private IEnumerable<Lane> Running => _slots?.Running ?? [];

    /// <summary>Takes ownership of the store, or of its share of lanes beside other engines; loads what is live and works.</summary>
    /// <exception cref="EngineAlreadyRunningException">Another engine owns the store, and it cannot be shared.</exception>
    /// <exception cref="LaneCountMismatchException">Other engines are on the store, with another number of lanes.</exception>
    /// <exception cref="StoreUnavailableException">The store cannot be reached.</exception>
    public async Task StartAsync(CancellationToken cancellationToken = default)
    {
        await _store.OpenAsync(cancellationToken);
        await _definitions.LoadAsync(cancellationToken);

        // An engine with more lanes may have run here before: lanes without partitions fence it off and publish the events it left.
        var everHad = await _store.CountLanesAsync(cancellationToken);
        var anyGrew = new ChangeSignal();
        var slots = new LaneSlots(
            _options.Lanes,
            [
                .. Enumerable.Range(0, Math.Max(_options.Lanes, everHad)).Select(i =>
                    new EventLog(i, _options.EventWindow, _options.Limits.MaxEventWindowSize, _store, anyGrew)),
            ],
            anyGrew);
        _slots = slots;
        if (_store.Cluster is { } cluster)
        {
            _node = new(cluster, _services, slots, _definitions);
            await _node.StartAsync(cancellationToken);
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

        _trimming = _services.Runtime.Run(() => TrimAsync(_stop.Token));
        Log.EngineStarted(_logger, _store.Description, _options.Lanes);
    }

    /// <remarks>
    /// The event follows in a commit of its own, also where the version was there already and its event was not: a caller who got no answer
    /// and repeats the request brings it about.
    /// </remarks>
    public async Task<(DefinitionInfo Definition, bool Created)> RegisterDefinitionAsync(
        ReadOnlyMemory<byte> json, CancellationToken cancellationToken = default)
    {
        var registered = await _definitions.RegisterAsync(json, cancellationToken);
        if (_options.PublishesDefinitions)
        {
            var (name, version, hash, _) = registered.Info;
            await ExecuteAsync(
                Partitioning.OfKey(name), RemoteKind.Register, () => new RegisteredLaneCommand(name, version, hash),
                () => new() { Definition = name, Version = version, RequestHash = hash }, cancellationToken);
        }

        return registered;
    }

    public DefinitionValidation ValidateDefinition(ReadOnlyMemory<byte> json) => _definitions.Validate(json);
    public IReadOnlyList<DefinitionInfo> ListDefinitions() => _definitions.List();
    public string GetDefinition(string name, int? version = null) => _definitions.Get(name, version).CanonicalJson;

    public Task<InstanceStarted> StartAsync(StartCommand command, CancellationToken cancellationToken = default) =>
        Tracing.IsOn ? TracedStartAsync(command, cancellationToken) : StartUntracedAsync(command, cancellationToken);

    private async Task<InstanceStarted> StartUntracedAsync(StartCommand command, CancellationToken cancellationToken)
    {
        CommandChecks.Check(command, _options.Limits.MaxInstanceSize);
        var definition = _definitions.Find(command.Definition, command.Version);
        if (definition is null)
        {
            if (_node is not null)
            {
                // Another node may have registered it.
                await _definitions.RefreshAsync(cancellationToken);
            }

            definition = _definitions.Get(command.Definition, command.Version);
        }

        var hash = command.IdempotencyKey is null
            ? null
            : CommandChecks.Hash(command.IdempotencyKey, command.Definition, command.Version?.ToString(
                System.Globalization.CultureInfo.InvariantCulture), command.CorrelationKey, command.Input.ToString());
        var id = NewInstanceId(command.CorrelationKey, command.IdempotencyKey);
        return await ExecuteAsync(
            Partitioning.OfInstance(id),
            RemoteKind.Start,
            () => new StartLaneCommand(definition, command, id, hash),
            () => new()
            {
                Id = id,
                Definition = definition.Name,
                Version = definition.Version,
                Value = RemoteCommand.TextOf(command.Input),
                CorrelationKey = command.CorrelationKey,
                IdempotencyKey = command.IdempotencyKey,
                RequestHash = hash,
            },
            cancellationToken);
    }

    public Task<SignalAccepted> SignalAsync(SignalCommand command, CancellationToken cancellationToken = default) =>
        Tracing.IsOn ? TracedSignalAsync(command, cancellationToken) : SignalUntracedAsync(command, cancellationToken);

    private async Task<SignalAccepted> SignalUntracedAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        CommandChecks.Check(command, _options.Limits.MaxInstanceSize);
        var hash = command.IdempotencyKey is null
            ? null
            : CommandChecks.Hash(command.IdempotencyKey, command.Name, command.CorrelationKey, command.InstanceId?.ToString(),
                command.DueAt?.ToString("O"), command.Payload.ToString());
        var partition = command.InstanceId is { } target ? Partitioning.OfInstance(target) : Partitioning.OfKey(command.CorrelationKey!);
        var id = _services.NewId();
        return await ExecuteAsync(
                partition, () => new SignalLaneCommand(command, id, hash),
                token => SendSignalAsync(partition, command, id, hash, token), cancellationToken)
            ?? throw await ExplainAsync(command, cancellationToken);
    }

    public async Task<InstanceView?> FindInstanceAsync(Guid id, CancellationToken cancellationToken = default)
    {
        if (await _store.FindInstanceAsync(id, cancellationToken) is not { } row)
        {
            return null;
        }

        var body = InstanceBody.Parse(row.Body);
        var children = body.Children == 0
            ? null
            : await _store.FindChildrenAsync(id, MaxChildrenShown, cancellationToken);
        return InstanceCodec.ToView(row, body) with { Children = children };
    }

    public async Task<InstanceList> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken = default)
    {
        CommandChecks.Check(query);
        var bounded = query.WithBounds();
        var (rows, isLast) = await Pages.ReadAsync(
            query.Limit,
            bounded.After,
            (after, limit) => _store.ListInstancesAsync(bounded with { After = after, Limit = limit }, cancellationToken),
            row => row.Id,
            row => row.Body.Length);
        return new([.. rows.Select(InstanceCodec.ToView)], isLast ? null : rows[^1].Id);
    }

    public async Task<IReadOnlyList<HistoryEntry>?> FindHistoryAsync(Guid id, CancellationToken cancellationToken = default) =>
        await _store.FindHistoryAsync(id, cancellationToken) is { } lines ? InstanceHistory.Parse(lines) : null;

    public async Task<InstanceCancellation> CancelAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default)
    {
        CommandChecks.CheckKey(idempotencyKey);
        var hash = CommandChecks.Hash(idempotencyKey, id.ToString());
        if (await ExecuteAsync(
            Partitioning.OfInstance(id), RemoteKind.Cancel, () => new CancelLaneCommand(id, idempotencyKey, hash),
            () => new() { Id = id, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken))
        {
            return new(id, Duplicate: false);
        }

        var row = await _store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
        return row.State == InstanceState.Cancelled
            ? new(id, Duplicate: true)
            : throw new InstanceFinishedException(id, Word(row.State));
    }

    public async Task<TaskView?> FindTaskAsync(Guid id, CancellationToken cancellationToken = default) =>
        await _store.FindTaskAsync(id, cancellationToken) is { } row ? ToView(row) : null;

    public async Task<TaskList> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken = default)
    {
        CommandChecks.Check(query);
        var (rows, isLast) = await Pages.ReadAsync(
            query.Limit,
            query.After,
            (after, limit) => _store.ListTasksAsync(query with { After = after, Limit = limit }, cancellationToken),
            row => row.Id,
            row => row.Output?.Length ?? 0);
        return new([.. rows.Select(ToView)], isLast ? null : rows[^1].Id);
    }

    public async Task<TaskAccepted> AssignTaskAsync(
        Guid id, string assignee, string? idempotencyKey, CancellationToken cancellationToken = default)
    {
        CommandChecks.CheckAssignee(assignee);
        CommandChecks.CheckKey(idempotencyKey);
        var hash = CommandChecks.Hash(idempotencyKey, id.ToString(), assignee);
        var accepted = await ExecuteAsync(
            Partitioning.OfInstance(id), RemoteKind.Assign, () => new AssignTaskLaneCommand(id, assignee, idempotencyKey, hash),
            () => new() { Id = id, Assignee = assignee, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken)
            ?? throw new TaskClosedException(await FindClosedAsync(id, cancellationToken));
        if (!accepted.Duplicate || idempotencyKey is null)
        {
            return accepted;
        }

        var row = await _store.FindTaskAsync(id, cancellationToken) ?? throw new TaskNotFoundException(id);
        return new(id, row.InstanceId, row.State, row.Assignee, Duplicate: true);
    }

    public async Task<TaskAccepted> CompleteTaskAsync(CompleteTaskCommand command, CancellationToken cancellationToken = default)
    {
        CommandChecks.Check(command, _options.Limits.MaxInstanceSize);
        var hash = CommandChecks.Hash(
            command.IdempotencyKey, command.TaskId.ToString(), command.IdempotencyKey is null ? null : command.Output.ToString());
        var completion = await ExecuteAsync(
            Partitioning.OfInstance(command.TaskId),
            RemoteKind.Complete,
            () => new CompleteTaskLaneCommand(command, hash),
            () => new() { Id = command.TaskId, Value = RemoteCommand.TextOf(
                command.Output), IdempotencyKey = command.IdempotencyKey, RequestHash = hash },
            cancellationToken);
        if (completion.Accepted is { } accepted)
        {
            return accepted;
        }

        var closed = await FindClosedAsync(command.TaskId, cancellationToken);
        return completion.IsDuplicate
            ? new(closed.Id, closed.InstanceId, closed.State, closed.Assignee, Duplicate: true)
            : throw new TaskClosedException(closed);
    }

    public Task<DeadLetterList> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken = default) =>
        _deadLetters.ListAsync(query, cancellationToken);

    public Task<DeadLetterReplayed> ReplayDeadLetterAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default) =>
        _deadLetters.ReplayAsync(id, idempotencyKey, cancellationToken);

    public IAsyncEnumerable<PositionedEvent> ReadEventsAsync(EventPosition? after, CancellationToken cancellationToken = default)
    {
        // The position is taken now, not at the first read: events in between must not be missed.
        var (logs, anyGrew) = _slots is { } slots ? (slots.Logs, slots.AnyGrew) : ([], new ChangeSignal());
        return EventReader.ReadAsync(logs, anyGrew, after ?? EndOfEvents, () => _node?.Follow(), _stop.Token, cancellationToken);
    }

    public Task WaitForIdleAsync(CancellationToken cancellationToken = default) =>
        _idle.WaitAsync(IsIdle, cancellationToken);

    /// <summary>The same as disposing, under the name that hosts use.</summary>
    public Task StopAsync(CancellationToken cancellationToken = default) => DisposeAsync().AsTask().WaitAsync(cancellationToken);

    /// <summary>Stops: accepted commands are committed and acknowledged, new ones refused.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        if (_node is not null)
        {
            await _node.DisposeAsync();
        }

        await Task.WhenAll(Running.Select(l => l.DisposeAsync().AsTask()));
        await _services.Runtime.CancelAsync(_stop);
        await _trimming.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        await _store.DisposeAsync();
        _meter.Dispose();
        _stop.Dispose();
    }

    private EngineStatistics StatisticsWith(Lane[] lanes, long inFlight, double inFlightSeconds) => new()
    {
        Lanes = _options.Lanes,
        PendingCommands = _telemetry.PendingCommands.Value,
        LiveInstances = lanes.Sum(l => l.Gauges.LiveInstances),
        InFlight = inFlight,
        InFlightSeconds = inFlightSeconds,
        OpenTasks = lanes.Sum(l => l.Gauges.OpenTasks),
        BufferedSignals = lanes.Sum(l => l.Gauges.BufferedSignals),
        RunningActivities = _services.ActivitySlots.Running,
        WaitingActivities = _services.ActivitySlots.Waiting,
        UnpublishedEvents = lanes.Sum(l => l.Events.Last - l.PublishedSequence),
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
        Commits = _telemetry.Commits.Value,
        Flushes = _telemetry.Flushes.Value,
        FlushedCommands = _telemetry.FlushedCommands.Value,
        FailedFlushes = _telemetry.FailedFlushes.Value,
        LaneReloads = _telemetry.LaneReloads.Value,
        StalledSeconds = lanes.Select(l => l.StalledFor.TotalSeconds).DefaultIfEmpty().Max(),
        RejectedCommands = _telemetry.RejectedCommands.Value,
        CrossPartitionMessages = _telemetry.CrossPartitionMessages.Value,
        Cluster = _node?.Statistics,
        Notifications = _options.Cluster.Notifier.Counts,
    };

    private static DefinitionRules Rules(WorkflowEngineOptions options) => new()
    {
        Activities = options.Activities.Select(a => a.Name).ToHashSet(StringComparer.Ordinal),
        ReservedEvents = EventTypes.Reserved,
    };

    private void RouteMessage(MessageRow message)
    {
        // It is committed: if the lane is not here, or has just moved, its owner finds the message in its inbox.
        if (_slots?.Of(message.Partition) is { } lane)
        {
            lane.PostMessage(message);
        }
        else
        {
            _node?.Notify(message.Partition);
        }

        Interlocked.Increment(ref _routed);
    }

    /// <summary>Lanes are read one after the other: if a message was routed meanwhile, the reading does not count.</summary>
    private bool IsIdle()
    {
        var before = Interlocked.Read(ref _routed);
        return Running.All(l => l.IsIdle) && (_node?.IsIdle ?? true) && Interlocked.Read(ref _routed) == before;
    }

    private async Task<Exception> ExplainAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        var id = command.InstanceId!.Value;
        var row = await _store.FindInstanceAsync(id, cancellationToken);
        return row is null
            ? new InstanceNotFoundException(id)
            : new InstanceFinishedException(id, Word(row.State), command.Name);
    }

    private async Task TrimAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromSeconds(5), _time);
        for (var tick = 1; await timer.WaitForNextTickAsync(cancellationToken); tick++)
        {
            if (_slots?[0] is null)
            {
                // One node is enough: the owner of the first lane.
                continue;
            }

            try
            {
                await _store.MaintainAsync(cancellationToken);
                if (tick % 12 == 0)
                {
                    await TrimOnceAsync(cancellationToken);
                }
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                Log.TrimFailed(_logger, e);
            }
        }
    }

    /// <summary>Portion by portion, for a minute at most: then what was put off meanwhile comes first again.</summary>
    private async Task TrimOnceAsync(CancellationToken cancellationToken)
    {
        var (now, since, kept) = (_time.GetUtcNow(), _time.GetTimestamp(), _options.Retention);
        var request = new TrimRequest
        {
            EventsBeforeUtc = now - kept.Events,
            KeysBeforeUtc = now - kept.Keys,
            ReplayedBeforeUtc = now - kept.DeadLetters,
            FinishedBeforeUtc = now - kept.FinishedInstances,
            Limit = kept.Portion,
        };
        while (await _store.TrimAsync(request, cancellationToken) && _time.GetElapsedTime(since) < TimeSpan.FromMinutes(1))
        {
            await Task.Delay(kept.Pause, _time, cancellationToken);
        }
    }

    private async Task<TaskView> FindClosedAsync(Guid id, CancellationToken cancellationToken) =>
        await FindTaskAsync(id, cancellationToken) ?? throw new TaskNotFoundException(id);

    private static TaskView ToView(TaskRow row) => new()
    {
        Id = row.Id,
        InstanceId = row.InstanceId,
        Definition = row.Definition,
        DefinitionVersion = row.DefinitionVersion,
        CorrelationKey = row.CorrelationKey,
        Step = row.Step,
        State = row.State,
        Assignee = row.Assignee,
        Groups = row.Groups,
        Output = row.Output is null ? null : Value.Parse(row.Output).ToJsonElement(),
        CreatedUtc = row.CreatedUtc,
        UpdatedUtc = row.UpdatedUtc,
        DueAt = row.DueUtc,
    };
}
