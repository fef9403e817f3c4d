using Microsoft.Extensions.Logging;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Commands;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Events;
using Workflow.Engine.Flush;
using Workflow.Engine.Instances;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <summary>
/// The single writer of some partitions. It applies commands in memory and commits them in groups: while one transaction is in flight, the
/// next batch collects. There is no timer and no debounce, so a lone command is a batch of one. Acknowledgements, events, messages and
/// launched work leave only after the commit of all that they depend on.
/// </summary>
internal sealed partial class Lane : IFlushSource, IAsyncDisposable
{
    private static readonly TimeSpan Resolution = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan LongestAlarm = TimeSpan.FromHours(1);

    /// <summary>How long commands are applied before the lane looks at its flush.</summary>
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(5);
    private readonly LaneServices _services;
    private readonly ILogger _logger;
    private readonly Committer _committer;

    /// <summary>Guards the open batch: the loop adds to it, the committer seals it.</summary>
    private readonly Lock _batchGate = new();

    private readonly JsonBuffer _json = new();
    private readonly AsyncAutoResetEvent _wake = new();
    private readonly Mailbox _mailbox = new();
    private readonly Backlog _backlog;
    private readonly Queue<LaneCommand> _repeats = new();
    private readonly Queue<LaneCommand> _taken = new();
    private readonly List<LaneCommand> _successors = [];
    private readonly Func<LaneCommand?> _nextDue;
    private readonly HashSet<(Guid Subject, DateTimeOffset Due)> _quarantine = [];
    private readonly InFlightTerm _entered = new();
    private readonly InFlightTerm _left = new();
    private readonly Count _flushes = new();
    private readonly Count _flushedCommands = new();
    private readonly Count _failedFlushes = new();
    private readonly Count _reloads = new();
    private readonly ITimer _alarm;
    private readonly CancellationTokenSource _stopped = new();
    private readonly ILaneHost _host;
    private LaneExecutor _executor;
    private ILaneStore? _store;
    private Task _loop = Task.CompletedTask;
    private TaskCompletionSource? _flush;
    private CommandBatch? _batchInFlight;
    private long _lastBatch;
    private int _repeatLimit = int.MaxValue;
    private volatile bool _stopping;
    private volatile bool _ended;
    private volatile bool _lost;
    private volatile Exception? _refusal;
    private volatile bool _rang;
    private DateTimeOffset? _armed;
    private DateTimeOffset _dueAt;

    public Lane(LaneAssignment assignment, LaneServices services, EventLog events)
    {
        Assignment = assignment;
        _nextDue = NextDue;
        _services = services;
        _logger = services.Logger;
        _committer = services.Committer ?? new Committer(group: null, services.Time, services.Telemetry);
        _backlog = new(services.Options.Limits, services.Time);
        Work = new LaneWork(this, services);
        _host = new Host(this);
        _executor = NewExecutor();
        Events = events;
        Relays = [.. services.Options.Publishers.Select(p =>
            new EventRelay(Events, p, services.Time, services.Runtime, _logger, services.Progressed))];
        _alarm = services.Time.CreateTimer(_ => Ring(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public LaneAssignment Assignment { get; }
    public EventLog Events { get; }

    /// <summary>Messages that are in the lane and not removed; used where there are other nodes.</summary>
    public InboxIndex Inbox { get; } = new();

    public IReadOnlyList<EventRelay> Relays { get; }
    public LaneWork Work { get; }
    public int LiveInstances { get; private set; }
    public int OpenTasks { get; private set; }
    public int BufferedSignals { get; private set; }
    public int DeadLetters { get; private set; }
    public int DeadSignals { get; private set; }

    /// <summary>The last event that every publisher has taken.</summary>
    public long PublishedSequence => Relays.Count == 0 ? Events.Last : Relays.Min(r => r.Published);

    /// <summary>Whether it may take more messages of other nodes.</summary>
    public bool HasRoom => _backlog.HasRoom;

    public bool IsIdle => _backlog.Count == 0 && Work.Running == 0 && PublishedSequence >= Events.Last
        && !Inbox.HoldsBack;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var published = await LoadAsync(cancellationToken);
        Events.Begin(_executor.LastSequence);
        var live = _executor.Instances.Live.Count;
        _entered.Add(live, (Int128)live * _services.Time.GetTimestamp());
        foreach (var relay in Relays)
        {
            relay.Begin(published);
            Work.Run(relay.RunAsync);
        }

        _loop = _services.Runtime.Run(RunAsync);
    }

    /// <summary>Instances in flight now, and their integral over the engine's clock, in instance seconds.</summary>
    public (long Count, double Seconds) ReadInFlight()
    {
        // An instance enters before it leaves: read in this order, none has left that did not enter.
        var left = Relays.Count == 0 ? [_left.Read()] : Relays.Select(r => r.Left.Read()).ToArray();
        var (entered, enteredTicks) = _entered.Read();
        var now = _services.Time.GetTimestamp();
        return (
            left.Max(l => entered - l.Count),
            (double)left.Max(l => ((Int128)(entered - l.Count) * now) - (enteredTicks - l.Ticks)) / _services.Time.TimestampFrequency);
    }

    /// <summary>For whoever watches: each figure is of about the same moment, and none waits for the lane.</summary>
    public LaneStatistics Statistics => new(
        Assignment.Index, _backlog.Count, Volatile.Read(ref _batchInFlight)?.Commands.Count ?? 0, LiveInstances, ReadInFlight().Count,
        OpenTasks, BufferedSignals, DeadLetters, _flushes.Value, _flushedCommands.Value, _failedFlushes.Value, _reloads.Value,
        StalledFor.TotalSeconds);

    /// <summary>Posts a client's command; throws when the mailbox is full or the lane has stopped.</summary>
    public void Post(LaneCommand command)
    {
        command.AcceptedTicks = _services.Time.GetTimestamp();
        command.AcceptedUtc = _services.Time.GetUtcNow();
        if (_stopping || _refusal is not null)
        {
            throw _refusal ?? StoppedOrMoved(command.Description);
        }

        _backlog.AddOfClient(command.Size);
        _services.Telemetry.PendingCommands.Add(1);
        _mailbox.AddOfCaller(command);
        Wake(command);
    }

    /// <summary>Posts a command of the engine itself, which must not be refused.</summary>
    public void PostInternal(LaneCommand command)
    {
        Accept(command);
        _mailbox.AddOwn(command);
        Wake(command);
    }

    private void Accept(LaneCommand command)
    {
        if (command.AcceptedTicks == 0)
        {
            command.AcceptedTicks = _services.Time.GetTimestamp();
            command.AcceptedUtc = command.AcceptedUtc == default ? _services.Time.GetUtcNow() : command.AcceptedUtc;
        }

        CountIn(command);
    }

    /// <summary>How long the lane has had work and not got on with any of it; zero while it has none.</summary>
    public TimeSpan StalledFor =>
        _backlog.Count > 0 || (_refusal is EngineStoppedException && !_stopping) ? _backlog.SinceProgress : TimeSpan.Zero;

    private void CountIn(LaneCommand command)
    {
        _backlog.Add(command.Size);
        _services.Telemetry.PendingCommands.Add(1);
    }

    private void Wake(LaneCommand command)
    {
        _wake.Set();
        if (_ended)
        {
            // The loop has ended and does not read the mailbox any more.
            EmptyMailbox(_refusal ?? StoppedOrMoved(command.Description));
        }
    }

    /// <summary>Posts a message of another lane of this node.</summary>
    public void PostMessage(MessageRow message)
    {
        if (Assignment.Node is null || Inbox.TryAdd(message))
        {
            PostNew(message);
        }
    }

    /// <summary>Posts messages read from the inbox.</summary>
    /// <param name="isComplete">Whether these are all that there were.</param>
    public async Task PostMessagesAsync(IReadOnlyList<MessageRow> messages, bool isComplete, CancellationToken cancellationToken)
    {
        await EnsureDefinitionsAsync([], messages, cancellationToken);
        foreach (var message in messages)
        {
            PostNew(message);
        }

        if (isComplete)
        {
            Inbox.CatchUp(PostNew);
            _services.Progressed();
        }
    }

    /// <summary>The lease is lost: nothing more can be committed.</summary>
    public void MarkLost()
    {
        _lost = true;
        _refusal = new LaneMovedException(Assignment.Index);
        _wake.Set();
    }

    public async ValueTask DisposeAsync()
    {
        _stopping = true;
        _wake.Set();
        await _loop;
        _ended = true;
        EmptyMailbox(_refusal ?? StoppedOrMoved("the command"));
        await _services.Runtime.CancelAsync(_stopped);
        await Work.DisposeAsync();
        await StoreCursorAsync();
        Events.End();
        await _alarm.DisposeAsync();
        if (_store is not null)
        {
            await _store.DisposeAsync();
        }

        _stopped.Dispose();
    }

    private void PostNew(MessageRow message) => PostInternal(new MessageLaneCommand(message, fromSnapshot: false, _services.DefinitionOf));

    private async Task RunAsync()
    {
        try
        {
            while (!_stopping || _flush is not null || !_mailbox.IsEmpty
                || _repeats.Count + _taken.Count + _executor.Batch.Commands.Count > 0)
            {
                await StepAsync();
            }
        }
        catch (Exception e)
        {
            // Nothing above this loop could handle it: fail every caller, and log.
            if (e is LaneMovedException)
            {
                Log.LaneFenced(_logger, e, Assignment.Index);
            }
            else
            {
                Log.LaneBroken(_logger, e, Assignment.Index);
            }

            _services.LaneLost(Assignment.Index);
            Abandon(e);
            while (!_stopping)
            {
                await _wake.WaitAsync();
                FailEverything(_refusal!);
            }
        }
    }

    private async Task StepAsync()
    {
        if (_flush is { Task.IsCompleted: true })
        {
            await CompleteFlushAsync();
            return;
        }

        if (_refusal is EngineStoppedException or LaneMovedException)
        {
            // Memory holds changes that will never be committed: nothing may be acknowledged from it.
            TakeBatch().Commands.ForEach(c => Resolve(c, x => x.Fail(_refusal)));
            FailEverything(_refusal);
            if (!_stopping || _flush is not null)
            {
                await _wake.WaitAsync();
            }

            return;
        }

        await ApplyPendingAsync();
        ReadGauges();
        if (_flush is null && _executor.Batch.Commands.Count > 0)
        {
            BeginFlush();
            return;
        }

        var isRestLeft = _executor.Batch.Commands.Count == 0 && (_repeats.Count > 0 || !_mailbox.IsEmpty);
        if (_taken.Count > 0 || isRestLeft)
        {
            // What was taken may all have been dropped: then no batch ends that would wake the lane for the rest.
            return;
        }

        Arm();
        await _wake.WaitAsync();
    }

    /// <summary>Applies commands to repeat, due timers and the mailbox, as far as the batch has room and the time slice lasts.</summary>
    private async ValueTask ApplyPendingAsync()
    {
        if (_taken.Count == 0)
        {
            Take();
            if (NeedLookUp() && await LookUpAsync() is { } unavailable)
            {
                await RecoverAsync(unavailable);
                return;
            }

            _executor.Timers.Compact();
        }

        var since = _services.Time.GetTimestamp();
        while (_taken.TryDequeue(out var command))
        {
            if (Apply(command) is { } broken)
            {
                Reject(command, broken, $"The {command.Description} broke off: {broken.Message}");
                await RecoverAsync(outcome: null);
                return;
            }

            if (_services.Time.GetElapsedTime(since) >= Slice)
            {
                // What is applied is committed, and what is committed acknowledged, before the others' turn.
                return;
            }
        }
    }

    private void Take()
    {
        var limit = Math.Min(_services.Options.MaxBatchCommands, _repeatLimit);
        var room = limit - _executor.Batch.Commands.Count;
        while (_taken.Count < room && _repeats.TryDequeue(out var repeated))
        {
            _taken.Enqueue(repeated);
        }

        if (_repeats.Count == 0)
        {
            _dueAt = _services.Time.GetUtcNow();
            _mailbox.Take(_taken, room, limit, _nextDue);
        }
    }

    private TimerLaneCommand? NextDue()
    {
        // A lane that stops leaves what is due to the next owner: timers that begin timers would keep it for ever.
        if (_stopping || !_executor.Timers.Queue.TryTakeDue(_dueAt, out var due))
        {
            return null;
        }

        var timer = new TimerLaneCommand(due);
        Internal(timer, due.DueUtc);
        return timer;
    }

    private void ReadGauges()
    {
        LiveInstances = _executor.Instances.Live.Count;
        OpenTasks = _executor.OpenTasks;
        BufferedSignals = _executor.StoredSignals;
        DeadLetters = _executor.DeadLetters.Count;
        DeadSignals = _executor.DeadLetters.Signals;
    }

    /// <returns>Null when it was applied; else why it broke off, and the open batch may be half changed.</returns>
    private Exception? Apply(LaneCommand command)
    {
        // Perhaps only since it was taken.
        if ((command is MessageLaneCommand message && IsDeadLettered(DeadLetterKind.Message, message.SubjectId))
            || (command is TimerLaneCommand timer && IsDeadLettered(timer)))
        {
            Resolve(command, _ => { });
            return null;
        }

        lock (_batchGate)
        {
            try
            {
                _executor.Execute(command);
                _committer.Waits(command.IsAwaited ? 1 : 0);
                return null;
            }
            catch (Exception e)
            {
                _executor.Batch.Commands.Remove(command);
                _flush = _batchInFlight is null ? null : _flush;
                return e;
            }
        }
    }

    /// <summary>Whether it is a dead letter, or would be one if the store had not refused it.</summary>
    private bool IsDeadLettered(DeadLetterKind kind, Guid subject) =>
        _executor.DeadLetters.Contains(kind, subject) || _quarantine.Contains((subject, default));

    private bool IsDeadLettered(TimerLaneCommand timer) =>
        _executor.DeadLetters.Contains(DeadLetterKind.Timer, timer.Entry.WaitId, timer.Entry.DueUtc)
        || (_quarantine.Count > 0 && _quarantine.Contains(timer.Subject));

    private LaneExecutor NewExecutor() => new(_host, _services.Options, _services.Time, _services.Runtime);

    private bool IsKeyUnknown(LaneCommand command) => command.Key is { } key && _executor.Keys.Find(key) is null;

    private bool NeedLookUp()
    {
        foreach (var command in _taken)
        {
            if (IsKeyUnknown(command) || RetryOf(command) is not null)
            {
                return true;
            }
        }

        return false;
    }

    private static RetryLaneCommand? RetryOf(LaneCommand command) => command as RetryLaneCommand ?? (command as MessageLaneCommand)?.Retry;

    /// <summary>
    /// Reads which keys were used before, beside the flush in flight: one round trip for all, and no commit. Then the rows of instances to
    /// retry, which are in no lane's memory.
    /// </summary>
    private async ValueTask<FlushException?> LookUpAsync()
    {
        try
        {
            var keys = _taken.Where(IsKeyUnknown).Select(c => c.Key!).Distinct(StringComparer.Ordinal).ToArray();
            foreach (var row in keys.Length == 0 ? [] : await _store!.FindKeysAsync(keys, _stopped.Token))
            {
                _executor.Keys.Remember(row);
            }

            foreach (var retry in _taken.Select(RetryOf).OfType<RetryLaneCommand>().ToArray())
            {
                retry.Row = await _services.Store.FindInstanceAsync(retry.InstanceId, _stopped.Token);
                await EnsureDefinitionsAsync(retry.Row is { } row ? [row] : [], [], _stopped.Token);
            }

            return null;
        }
        catch (Exception e)
        {
            return new FlushException(
                FlushFailure.Unavailable, $"An idempotency key or an instance could not be looked up in the store: {e.Message}", e);
        }
    }

    private LaneCommand Internal(LaneCommand command, DateTimeOffset acceptedUtc)
    {
        command.AcceptedTicks = _services.Time.GetTimestamp();
        command.AcceptedUtc = acceptedUtc;
        CountIn(command);
        return command;
    }

    private void Resolve(LaneCommand command, Action<LaneCommand> report)
    {
        report(command);
        _services.Telemetry.PendingCommands.Add(-1);
        if (_backlog.Remove(command.Size))
        {
            _services.Progressed();
        }
    }

    /// <summary>Sets the alarm to the next timer, unless commands wait to be flushed: the lane looks at its timers then anyway.</summary>
    private void Arm()
    {
        // A lane that stops leaves its timers to the next owner: one that is due would wake it again and again.
        var due = _executor.Batch.Commands.Count == 0 && !_stopping ? _executor.Timers.Queue.NextDueUtc : null;
        if (due == _armed && !_rang)
        {
            return;
        }

        _rang = false;
        _armed = due;
        if (due is null)
        {
            _alarm.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            return;
        }

        DateTimeOffset read;
        var now = _services.Time.GetUtcNow();
        do
        {
            // If the process stood still after the clock was read, the pause would be too long by as much: read again.
            read = now;
            _alarm.Change(Pause(due.Value - read), Timeout.InfiniteTimeSpan);
            now = _services.Time.GetUtcNow();
        }
        while (now - read > Resolution);

        if (due <= now)
        {
            Ring();
        }

        // A timer may fire a little early: rounding up to a whole millisecond keeps it from spinning.
        static TimeSpan Pause(TimeSpan left) => left <= Resolution ? Resolution
            : left > LongestAlarm ? LongestAlarm
            : TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds));
    }

    private void Ring()
    {
        _rang = true;
        _wake.Set();
    }

    /// <summary>Stores how far events are published: else the next owner would publish those since the last flush again.</summary>
    private async ValueTask StoreCursorAsync()
    {
        if (Assignment.Node is null || Relays.Count == 0 || _refusal is not null || _store is null)
        {
            return;
        }

        try
        {
            await _store.FlushAsync(new() { Number = _lastBatch + 1, LastSequence = Events.Last, PublishedSequence = PublishedSequence },
                CancellationToken.None);
        }
        catch (Exception e)
        {
            Log.CursorFailed(_logger, e, Assignment.Index);
        }
    }

    private ValueTask EnsureDefinitionsAsync(
        IEnumerable<InstanceRow> instances, IEnumerable<MessageRow> messages, CancellationToken cancellationToken) =>
        Assignment.Node is null
            ? ValueTask.CompletedTask
            : _services.EnsureDefinitions(
                instances.Select(i => (i.Definition, i.DefinitionVersion))
                    .Concat(messages.Where(m => m.Kind == RemoteKind.Start).Select(m => RemoteCommand.Parse(m.Body))
                        .Select(c => (c.Definition!, c.Version))),
                cancellationToken);

    private void EmptyMailbox(Exception error)
    {
        while (_mailbox.TryTake(out var command))
        {
            Resolve(command, c => c.Fail(error));
        }
    }

    private WorkflowException StoppedOrMoved(string what) =>
        Assignment.Node is null ? new EngineStoppedException(what) : new LaneMovedException(Assignment.Index);

    private sealed class Host(Lane lane) : ILaneHost
    {
        public int Stream => lane.Assignment.Index;

        public bool Owns(short partition) => lane.Assignment.Owns(partition);

        public Abstractions.Definitions.WorkflowDefinition? FindDefinition(string name, int? version) =>
            lane._services.FindDefinition(name, version);

        public Abstractions.Definitions.WorkflowDefinition? FindStartedBy(string signalName) => lane._services.FindStartedBy(signalName);

        public Abstractions.Activities.Activity? FindActivity(string name) => lane._services.Activities.GetValueOrDefault(name);

        public Abstractions.Events.SignalReceiver? FindReceiver(string signalName) =>
            lane._services.Receivers.GetValueOrDefault(signalName);

        public void LaunchActivity(
            Guid instanceId, Guid waitId, Abstractions.Activities.Activity activity, Abstractions.Value input, string? trace) =>
            lane.Work.LaunchActivity(instanceId, waitId, activity, input, trace);

        public void ForgetActivity(Guid waitId) => lane.Work.ForgetActivity(waitId);

        public void LaunchReceiver(Guid signalId, Abstractions.Events.SignalReceiver receiver, string key, Abstractions.Value payload) =>
            lane.Work.LaunchReceiver(signalId, receiver, key, payload);
    }
}
