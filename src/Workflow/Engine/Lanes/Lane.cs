using Workflow.Engine.Events;

namespace Workflow.Engine.Lanes;

/// <summary>
/// The single writer of some partitions. It applies commands in memory and commits them in groups: while one
/// transaction is in flight, the next batch collects. There is no timer and no debounce, so a lone command is a batch
/// of one. Acknowledgements, events, messages and launched work leave only after the commit of everything they depend
/// on. <see cref="LaneCore"/> decides each step; this class has the loop, the store and the alarm.
/// </summary>
internal sealed class Lane : IAsyncDisposable
{
    private static readonly TimeSpan Resolution = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan LongestAlarm = TimeSpan.FromHours(1);
    private readonly LaneServices _services;
    private readonly ILogger _logger;
    private readonly AsyncAutoResetEvent _wake = new();
    private readonly LaneIntake _intake;
    private readonly LaneFlusher _flusher;
    private readonly LaneRelease _release;
    private readonly LaneCore _core;
    private readonly LaneLoader _loader;
    private readonly ITimer _alarm;
    private readonly CancellationTokenSource _stopped = new();
    private Task _loop = Task.CompletedTask;
    private volatile bool _rang;
    private DateTimeOffset? _armed;

    public Lane(LaneAssignment assignment, LaneServices services, EventLog events)
    {
        Assignment = assignment;
        _services = services;
        _logger = services.Logger;
        Events = events;
        Relays = [.. services.Options.Publishers.Select(p =>
            new EventRelay(Events, p, services.Time, services.Runtime, _logger, services.Progressed))];
        _intake = new(assignment, services, _wake);
        _release = new(services, _intake, events, Relays);
        Work = new(assignment, services, _intake);
        var slots = new SlotIndex();
        _flusher = new(
            new(Work, services.Options, services.Time, services.Runtime, slots),
            services.Committer ?? new Committer(group: null, services.Time, services.Telemetry),
            () => _release.PublishedSequence, _wake);
        _core = new(assignment, services, _intake, _flusher, _release);
        _loader = new(assignment, services, Work, _core, _intake, slots, _stopped.Token);
        _alarm = services.Time.CreateTimer(_ => Ring(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public LaneAssignment Assignment { get; }
    public EventLog Events { get; }

    /// <summary>The messages that are in the lane and not removed. Used only in a cluster.</summary>
    public InboxIndex Inbox => _intake.Inbox;

    /// <inheritdoc cref="LaneLoader.Epoch"/>
    public long? Epoch => _loader.Epoch;

    public IReadOnlyList<EventRelay> Relays { get; }
    public LaneWork Work { get; }
    public LaneGauges Gauges => _core.Gauges;
    public long PublishedSequence => _release.PublishedSequence;
    public TimeSpan StalledFor => _intake.StalledFor;

    public bool HasRoom => _intake.Backlog.HasRoom;

    /// <summary>
    /// Held messages and results of activities become commands. As long as no command was added, nothing has moved from
    /// a place that was not checked yet to one that was.
    /// </summary>
    public bool IsIdle
    {
        get
        {
            var added = _intake.Backlog.Added;
            return !Gauges.IsRecovering && !Gauges.IsReadingTimers && !Inbox.HasHeldMessages
                && _intake.Backlog.IsAnswered && Work.Running == 0 && PublishedSequence >= Events.Last
                && _intake.Backlog.Added == added;
        }
    }

    /// <summary>
    /// A snapshot for monitoring. The values are read at about the same moment and never block the lane.
    /// </summary>
    public LaneStatistics Statistics => new(
        Assignment.Index, _intake.Backlog.Count, _flusher.CommandsInFlight, Gauges.LiveInstances, ReadInFlight().Count,
        Gauges.OpenTasks,
        Gauges.BufferedSignals, Gauges.DeadLetters, _release.Flushes, _release.FlushedCommands, _core.FailedFlushes,
        _core.Reloads,
        StalledFor.TotalSeconds);

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var published = await _loader.LoadAsync(cancellationToken);
        Events.Begin(_flusher.State.LastSequence);
        _release.CountLoaded(Gauges.LiveInstances);
        foreach (var relay in Relays)
        {
            relay.Begin(published);
            Work.RunRelay(relay.RunAsync);
        }

        _loop = _services.Runtime.Run(RunAsync);
    }

    /// <summary>
    /// The instances in flight now, and their integral over the engine's clock (instances times clock ticks).
    /// </summary>
    public (long Count, Int128 Ticks) ReadInFlight() => _release.ReadInFlight();

    /// <summary>Posts a client's command. Throws if the mailbox is full or the lane has stopped.</summary>
    public void Post(LaneCommand command) => _intake.Post(command);

    /// <summary>Lets the lane check for callers that have waited too long. Called once a second.</summary>
    public void CheckCallers() => _intake.CheckCallers();

    public void PostMessage(Message message)
    {
        if ((Assignment.Node is null ? Inbox.Loads : Inbox.TryAdd(message)) is { } load)
        {
            PostNew(message, load);
        }
    }

    /// <param name="load">The last load that had begun when the messages were found. A later load contains them, or
    /// they were applied.</param>
    /// <param name="isComplete">Whether these are all messages of the inbox.</param>
    public async Task PostMessagesAsync(
        IReadOnlyList<Message> messages, int load, bool isComplete, CancellationToken cancellationToken)
    {
        await _loader.EnsureDefinitionsAsync([], messages, cancellationToken);
        foreach (var message in messages)
        {
            PostNew(message, load);
        }

        if (isComplete)
        {
            Inbox.ReleaseHeld(PostNew);
            _services.Progressed();
        }
    }

    /// <summary>The lease is lost: the lane can commit nothing more.</summary>
    public void MarkLost() => _intake.MarkLost();

    public async ValueTask DisposeAsync()
    {
        _intake.Stop();
        await _loop;
        _intake.End();
        await _services.Runtime.CancelAsync(_stopped);
        await Work.DisposeAsync();
        await StoreCursorAsync();
        Events.End();
        await _alarm.DisposeAsync();
        await _loader.DisposeAsync();
        _stopped.Dispose();
    }

    /// <param name="load">The last load that had begun when the message was known to be committed.</param>
    private void PostNew(Message message, int load) =>
        _intake.PostInternal(new MessageLaneCommand(message, load, fromSnapshot: false, _services));

    private async Task RunAsync()
    {
        try
        {
            for (var next = LaneNext.Step; next != LaneNext.End;)
            {
                switch (next)
                {
                    case LaneNext.Sleep:
                        Arm();
                        await _wake.WaitAsync();
                        next = LaneNext.Step;
                        break;
                    case LaneNext.LookUp:
                        next = _core.ContinueAfterLookUp(await LookUpAsync());
                        break;
                    case LaneNext.Reload:
                        next = _core.ContinueAfterReload(await _loader.TryReloadAsync(_core.Reload!));
                        _armed = null;
                        break;
                    default:
                        next = _core.Step();
                        break;
                }
            }
        }
        catch (Exception e)
        {
            // Nothing above this loop can handle the error: fail every caller, and log it.
            if (e is LaneMovedException)
            {
                Log.LaneFenced(_logger, e, Assignment.Index);
            }
            else
            {
                Log.LaneBroken(_logger, e, Assignment.Index);
            }

            _services.LaneLost(Assignment.Index);
            _core.Abandon(e);
            while (!_intake.IsStopping)
            {
                await _wake.WaitAsync();
                _core.FailAll([], _intake.Refusal!);
            }
        }
    }

    /// <summary>Runs the look-up and checks for timed-out callers meanwhile.</summary>
    private async Task<FlushException?> LookUpAsync()
    {
        var isOver = false;
        var lookUp = LookUpAndWakeAsync();
        while (!Volatile.Read(ref isOver))
        {
            await _wake.WaitAsync();
            _intake.FailTimedOutCallers(isWaiting: true, _core.HeldCommands);
        }

        // The lane may have been woken for another reason too.
        _wake.Set();
        return await lookUp;

        async Task<FlushException?> LookUpAndWakeAsync()
        {
            try
            {
                return await _loader.LookUpAsync();
            }
            finally
            {
                // The lane may wake before this task is completed: it must not go to sleep again.
                Volatile.Write(ref isOver, true);
                _wake.Set();
            }
        }
    }

    private void Arm()
    {
        var due = _core.NextDueUtc;
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
            // If the process was paused after the clock was read, the delay is too long by that time: read the clock
            // again.
            read = now;
            _alarm.Change(Pause(due.Value - read), Timeout.InfiniteTimeSpan);
            now = _services.Time.GetUtcNow();
        }
        while (now - read > Resolution);

        if (due <= now)
        {
            Ring();
        }

        // A timer may fire slightly early. Rounding up to a whole millisecond prevents a busy loop.
        static TimeSpan Pause(TimeSpan left) => left <= Resolution ? Resolution
            : left > LongestAlarm ? LongestAlarm
            : TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds));
    }

    private void Ring()
    {
        _rang = true;
        _wake.Set();
    }

    /// <summary>
    /// Stores the published position. Otherwise the next owner would publish the events since the last flush again.
    /// </summary>
    private async ValueTask StoreCursorAsync()
    {
        if (Assignment.Node is null || Relays.Count == 0 || _intake.Refusal is not null
            || _loader.Store is not { } store)
        {
            return;
        }

        try
        {
            var state = _flusher.State;
            var cursor = new FlushBatch
            {
                Number = _flusher.LastBatch + 1,
                LastSequence = Events.Last,
                PublishedSequence = PublishedSequence,
                LastPosition = state.LastPosition,
                DormantInstances = state.Dormancy.Stored,
                DormantTasks = state.Dormancy.StoredTasks,
            };
            await store.FlushAsync(cursor, CancellationToken.None);
        }
        catch (Exception e)
        {
            Log.CursorFailed(_logger, e, Assignment.Index);
        }
    }
}
