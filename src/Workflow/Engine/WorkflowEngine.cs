using Microsoft.Extensions.Logging;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Definitions;
using Workflow.Engine.Events;
using Workflow.Engine.Execution;

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
    private readonly DefinitionRegistry _definitions;
    private readonly IdleSignal _idle = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly LaneServices _services;
    private readonly DeadLetterDesk _letters;
    private volatile Lane[] _lanes = [];
    private Task _trimming = Task.CompletedTask;
    private long _handovers;
    private int _disposed;

    /// <summary>Makes an engine that does nothing until it is started.</summary>
    /// <exception cref="ArgumentException">An option is out of its range; every such option is named.</exception>
    public WorkflowEngine(IWorkflowStore store, WorkflowEngineOptions options, TimeProvider timeProvider, ILoggerFactory loggerFactory)
    {
        options.Validate();
        _store = store;
        _options = options;
        _time = timeProvider;
        _logger = loggerFactory.CreateLogger<WorkflowEngine>();
        _definitions = new(store, Rules(options), timeProvider);
        _letters = new(store, LaneOf);
        _services = new LaneServices
        {
            Options = options,
            Store = store,
            Time = timeProvider,
            Logger = _logger,
            Telemetry = _telemetry,
            Activities = options.Activities.ToDictionary(a => a.Name, StringComparer.Ordinal),
            Receivers = options.SignalReceivers.ToDictionary(r => r.Name, StringComparer.Ordinal),
            DefinitionOf = (name, version) => _definitions.Get(name, version),
            FindDefinition = _definitions.Find,
            Route = HandOver,
            Progressed = _idle.Progressed,
        };
    }

    /// <inheritdoc/>
    public EngineStatistics Statistics
    {
        get
        {
            var inFlight = _lanes.Select(l => l.ReadInFlight()).ToArray();
            return StatisticsWith(inFlight.Sum(l => l.Count), inFlight.Sum(l => l.Seconds));
        }
    }

    /// <inheritdoc/>
    public EventPosition EndOfEvents => _lanes.Aggregate(EventPosition.Start, (position, lane) => position.With(lane.Events.Stream, lane.Events.Last));

    /// <summary>Takes the store over, loads what is live and begins to work.</summary>
    /// <exception cref="EngineAlreadyRunningException">Another engine owns the store.</exception>
    /// <exception cref="StoreUnavailableException">The store cannot be reached.</exception>
    public async Task StartAsync(CancellationToken cancellationToken = default)
    {
        await _store.OpenAsync(cancellationToken).ConfigureAwait(false);
        await _definitions.LoadAsync(cancellationToken).ConfigureAwait(false);

        // An engine with more lanes may have run here before: lanes without partitions fence it off and carry out the events it left.
        var everHad = await _store.CountLanesAsync(cancellationToken).ConfigureAwait(false);
        _lanes = [.. Enumerable.Range(0, Math.Max(_options.Lanes, everHad)).Select(i => new Lane(new(i, _options.Lanes), _services))];
        foreach (var lane in _lanes)
        {
            await lane.StartAsync(cancellationToken).ConfigureAwait(false);
        }

        _trimming = Task.Run(() => TrimAsync(_stop.Token), CancellationToken.None);
        Log.EngineStarted(_logger, _store.Description, _options.Lanes);
    }

    /// <inheritdoc/>
    public Task<(DefinitionInfo Definition, bool Created)> RegisterDefinitionAsync(ReadOnlyMemory<byte> json, CancellationToken cancellationToken = default) =>
        _definitions.RegisterAsync(json, cancellationToken);

    /// <inheritdoc/>
    public DefinitionValidation ValidateDefinition(ReadOnlyMemory<byte> json) => _definitions.Validate(json);

    /// <inheritdoc/>
    public IReadOnlyList<DefinitionInfo> ListDefinitions() => _definitions.List();

    /// <inheritdoc/>
    public string GetDefinition(string name, int? version = null) => _definitions.Get(name, version).CanonicalJson;

    /// <inheritdoc/>
    public Task<InstanceStarted> StartAsync(StartCommand command, CancellationToken cancellationToken = default)
    {
        CommandChecks.Check(command);
        var definition = _definitions.Get(command.Definition, command.Version);
        var hash = command.IdempotencyKey is null
            ? null
            : CommandChecks.Hash(command.IdempotencyKey, command.Definition, command.Version?.ToString(System.Globalization.CultureInfo.InvariantCulture), command.CorrelationKey, command.Input.ToString());
        var id = Partitioning.NewInstanceId(_time.GetUtcNow(), command.CorrelationKey);
        var start = new StartLaneCommand(definition, command, id, hash);
        LaneOf(Partitioning.OfInstance(id)).Post(start);
        return start.Completion.WaitAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public async Task<SignalAccepted> SignalAsync(SignalCommand command, CancellationToken cancellationToken = default)
    {
        CommandChecks.Check(command);
        var hash = command.IdempotencyKey is null
            ? null
            : CommandChecks.Hash(command.IdempotencyKey, command.Name, command.CorrelationKey, command.InstanceId?.ToString(), command.DueAt?.ToString("O"), command.Payload.ToString());
        var signal = new SignalLaneCommand(command, Guid.CreateVersion7(_time.GetUtcNow()), hash);
        var partition = command.InstanceId is { } target ? Partitioning.OfInstance(target) : Partitioning.OfKey(command.CorrelationKey!);
        LaneOf(partition).Post(signal);
        return await signal.Completion.WaitAsync(cancellationToken).ConfigureAwait(false)
            ?? throw await ExplainAsync(command, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async Task<InstanceView?> FindInstanceAsync(Guid id, CancellationToken cancellationToken = default)
    {
        if (await _store.FindInstanceAsync(id, cancellationToken).ConfigureAwait(false) is not { } row)
        {
            return null;
        }

        var body = InstanceBody.Parse(row.Body);
        var children = body.Children == 0 ? null : await _store.FindChildrenAsync(id, MaxChildrenShown, cancellationToken).ConfigureAwait(false);
        return InstanceCodec.ToView(row, body) with { Children = children };
    }

    /// <inheritdoc/>
    public async Task<InstanceList> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken = default)
    {
        CommandChecks.CheckLimit(query.Limit);
        var rows = await _store.ListInstancesAsync(query, cancellationToken).ConfigureAwait(false);
        return new([.. rows.Select(InstanceCodec.ToView)], rows.Count == query.Limit ? rows[^1].Id : null);
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyList<HistoryEntry>?> FindHistoryAsync(Guid id, CancellationToken cancellationToken = default) =>
        await _store.FindHistoryAsync(id, cancellationToken).ConfigureAwait(false) is { } lines ? InstanceHistory.Parse(lines) : null;

    /// <inheritdoc/>
    public Task<DeadLetterList> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken = default) => _letters.ListAsync(query, cancellationToken);

    /// <inheritdoc/>
    public Task<DeadLetterReplayed> ReplayDeadLetterAsync(Guid id, CancellationToken cancellationToken = default) => _letters.ReplayAsync(id, cancellationToken);

    /// <inheritdoc/>
    public IAsyncEnumerable<PositionedEvent> ReadEventsAsync(EventPosition? after, CancellationToken cancellationToken = default)
    {
        // The position is taken now, not when the reader first moves: what happens in between must not be missed.
        return EventReader.ReadAsync([.. _lanes.Select(l => l.Events)], after ?? EndOfEvents, _stop.Token, cancellationToken);
    }

    /// <inheritdoc/>
    public Task WaitForIdleAsync(CancellationToken cancellationToken = default) =>
        _idle.WaitAsync(IsIdle, cancellationToken);

    /// <summary>The same as disposing, under the name that hosts use.</summary>
    public Task StopAsync(CancellationToken cancellationToken = default) => DisposeAsync().AsTask().WaitAsync(cancellationToken);

    /// <summary>Stops: commands accepted are committed and answered, new ones refused.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await Task.WhenAll(_lanes.Select(l => l.DisposeAsync().AsTask())).ConfigureAwait(false);
        await _stop.CancelAsync().ConfigureAwait(false);
        await _trimming.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _store.DisposeAsync().ConfigureAwait(false);
        _telemetry.Dispose();
        _stop.Dispose();
    }

    private EngineStatistics StatisticsWith(long inFlight, double inFlightSeconds) => new()
    {
        Lanes = _options.Lanes,
        PendingCommands = _telemetry.PendingCount,
        LiveInstances = _lanes.Sum(l => l.LiveInstances),
        InFlight = inFlight,
        InFlightSeconds = inFlightSeconds,
        OpenTasks = _lanes.Sum(l => l.OpenTasks),
        BufferedSignals = _lanes.Sum(l => l.BufferedSignals),
        UnpublishedEvents = _lanes.Sum(l => l.Events.Last - l.PublishedSequence),
        DeadLetters = _lanes.Sum(l => l.DeadLetters),
        DeadSignals = _lanes.Sum(l => l.DeadSignals),
        DeadLettered = _telemetry.DeadLetteredCount,
        Started = _telemetry.StartedCount,
        Called = _telemetry.CalledCount,
        Completed = _telemetry.CompletedCount,
        Failed = _telemetry.FailedCount,
        Cancelled = _telemetry.CancelledCount,
        Signals = _telemetry.SignalCount,
        SignalsConsumed = _telemetry.SignalsConsumedCount,
        SignalsExpired = _telemetry.SignalsExpiredCount,
        Flushes = _telemetry.FlushCount,
        FlushedCommands = _telemetry.FlushedCommandCount,
        FailedFlushes = _telemetry.FailedFlushCount,
        RejectedCommands = _telemetry.RejectedCommandCount,
        CrossPartitionMessages = _telemetry.CrossPartitionMessageCount,
        WakeHints = _options.Cluster.WakeHints.Counts,
    };

    private static DefinitionRules Rules(WorkflowEngineOptions options) => new()
    {
        Activities = options.Activities.Select(a => a.Name).ToHashSet(StringComparer.Ordinal),
        ReservedEvents = EventTypes.Reserved,
    };

    private void HandOver(MessageRow message)
    {
        LaneOf(message.Partition).PostInternal(new MessageLaneCommand(message, fromSnapshot: false));
        Interlocked.Increment(ref _handovers);
    }

    /// <summary>Lanes are looked at one after the other: a message from one not yet looked at to one that was idle makes it worth nothing.</summary>
    private bool IsIdle()
    {
        var before = Interlocked.Read(ref _handovers);
        return Array.TrueForAll(_lanes, l => l.IsIdle) && Interlocked.Read(ref _handovers) == before;
    }

    private Lane LaneOf(short partition) => _lanes is { Length: > 0 } lanes
        ? lanes[partition % _options.Lanes]
        : throw new EngineStoppedException("the command (the engine was not started)");

    private async Task<Exception> ExplainAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        var id = command.InstanceId!.Value;
        var row = await _store.FindInstanceAsync(id, cancellationToken).ConfigureAwait(false);
        return row is null ? new InstanceNotFoundException(id) : new InstanceFinishedException(id, row.State.ToString().ToLowerInvariant(), command.Name);
    }

    private async Task TrimAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMinutes(1), _time);
        while (await timer.WaitForNextTickAsync(cancellationToken).ConfigureAwait(false))
        {
            try
            {
                var before = _time.GetUtcNow() - _options.Retention;
                await _store.TrimAsync(before, before, before, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                Log.TrimFailed(_logger, e);
            }
        }
    }
}
