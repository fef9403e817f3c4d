namespace Workflow.Engine.Lanes;

/// <summary>
/// The way into a lane: takes commands, and counts each until its outcome is final. Any thread posts; the lane's loop does the rest.
/// </summary>
/// <param name="wake">Wakes the loop.</param>
internal sealed class LaneIntake(LaneAssignment assignment, LaneServices services, AsyncAutoResetEvent wake)
{
    private volatile bool _stopping;
    private volatile bool _ended;
    private volatile bool _lost;
    private volatile Exception? _refusal;
    private volatile bool _secondIsOver;
    private int _secondsWaited;
    private long _lastProgress;

    public Mailbox Mailbox { get; } = new();
    public Backlog Backlog { get; } = new(services.Options.Limits, services.Time);
    public InboxIndex Inbox { get; } = new();

    /// <summary>Whether the lane ends: what it has is committed, and nothing new is taken.</summary>
    public bool IsStopping => _stopping;

    /// <summary>Why commands are refused; null while they are not.</summary>
    public Exception? Refusal
    {
        get => _refusal;
        set => _refusal = value;
    }

    /// <summary>Whether memory holds changes that will never be committed: nothing may be acknowledged from it.</summary>
    public bool IsOver => _refusal is EngineStoppedException or LaneMovedException;

    /// <summary>How long the lane has had work and not got on with any of it; zero while it has none.</summary>
    public TimeSpan StalledFor =>
        Backlog.Count > 0 || (_refusal is EngineStoppedException or StoreUnavailableException && !_stopping)
            ? Backlog.SinceProgress
            : TimeSpan.Zero;

    /// <summary>Posts a client's command; throws when the mailbox is full or the lane has stopped.</summary>
    public void Post(LaneCommand command)
    {
        command.AcceptedTicks = services.Time.GetTimestamp();
        command.AcceptedUtc = services.Time.GetUtcNow();
        if (_stopping || _refusal is not null)
        {
            throw _refusal ?? StoppedOrMoved(command.Description);
        }

        Backlog.AddOfClient(command.Size);
        services.Telemetry.PendingCommands.Add(1);
        if (services.KeysAtWork.TryEnter(this, command))
        {
            Mailbox.AddOfCaller(command);
            Wake(command);
        }
    }

    /// <summary>Takes a command that was posted, and has waited for its key.</summary>
    /// <returns>False where the lane has ended: the command has failed.</returns>
    public bool Admit(LaneCommand command)
    {
        if (_ended)
        {
            Report(command, c => c.Fail(_refusal ?? StoppedOrMoved(c.Description)));
            return false;
        }

        Mailbox.AddOfCaller(command);
        Wake(command);
        return true;
    }

    /// <summary>Posts a command of the engine itself, which must not be refused.</summary>
    public void PostInternal(LaneCommand command)
    {
        Accept(command);
        Mailbox.AddOwn(command);
        Wake(command);
    }

    /// <summary>A message that was loaded with the lane.</summary>
    public void AddLoaded(LaneCommand command)
    {
        Accept(command);
        Mailbox.AddLoaded(command);
    }

    /// <summary>Counts a command that the loop has made, and that is in no mailbox.</summary>
    public T Begin<T>(T command, DateTimeOffset acceptedUtc)
        where T : LaneCommand
    {
        command.AcceptedTicks = services.Time.GetTimestamp();
        command.AcceptedUtc = acceptedUtc;
        CountIn(command);
        return command;
    }

    /// <summary>The outcome of a command is final.</summary>
    public void Resolve(LaneCommand command, Action<LaneCommand> report)
    {
        Report(command, report);
        services.KeysAtWork.Leave(command);
    }

    private void Report(LaneCommand command, Action<LaneCommand> report)
    {
        Backlog.Free(command.Size);
        services.Telemetry.PendingCommands.Add(-1);
        report(command);
        if (Backlog.Answered())
        {
            services.Progressed();
        }
    }

    /// <summary>Commands that were posted are still done, but for timers; others are refused.</summary>
    public void Stop()
    {
        _stopping = true;
        wake.Set();
    }

    /// <summary>The lease is lost: nothing more can be committed.</summary>
    public void MarkLost()
    {
        _lost = true;
        _refusal = new LaneMovedException(assignment.Index);
        wake.Set();
    }

    /// <summary>Once a second: wakes a lane that has work, so that it looks after its callers.</summary>
    public void Watch()
    {
        if (Backlog.Count > 0)
        {
            _secondIsOver = true;
            wake.Set();
        }
    }

    /// <summary>
    /// Gives up on a store that neither commits nor fails for too long. The seconds are those in which the lane could look: a process that
    /// was paused has not waited for its store.
    /// </summary>
    /// <param name="isWaiting">Whether the lane waits for the store.</param>
    /// <param name="held">What it has taken and not finished.</param>
    public void LookAfterCallers(bool isWaiting, Func<IEnumerable<LaneCommand>> held)
    {
        if (!_secondIsOver)
        {
            return;
        }

        _secondIsOver = false;
        var progress = Backlog.ProgressedTicks;
        _secondsWaited = isWaiting && _refusal is null && progress == _lastProgress ? _secondsWaited + 1 : 0;
        _lastProgress = progress;
        if (_secondsWaited >= services.Patience.TotalSeconds)
        {
            GiveUpWaiting(_secondsWaited, held());
            _secondsWaited = 0;
        }
    }

    /// <summary>
    /// Callers learn that the store does not answer, and new commands are refused. What was posted goes on, should it answer yet.
    /// </summary>
    /// <param name="held">What the lane has taken and not finished.</param>
    public void GiveUpWaiting(int seconds, IEnumerable<LaneCommand> held)
    {
        var refusal = new StoreUnavailableException(
            $"The store has not answered for {seconds} s. The command may or may not be committed: repeat it with the "
            + "same idempotency key.",
            outcomeUnknown: true);
        if (Interlocked.CompareExchange<Exception?>(ref _refusal, refusal, null) is not null)
        {
            return;
        }

        Log.StoreSilent(services.Logger, assignment.Index, seconds);
        foreach (var command in held.Concat(Mailbox.OfCallers).Where(c => c.IsAwaited))
        {
            command.Fail(refusal);
            services.KeysAtWork.FailWaiting(command, refusal);
        }
    }

    /// <summary>Memory is loaded again, or the store has answered after all: commands are taken, unless the lease was lost.</summary>
    public void Readmit()
    {
        if (_refusal is StoreUnavailableException outage)
        {
            // Not where the lease is lost at the same moment.
            Interlocked.CompareExchange<Exception?>(ref _refusal, _lost ? new LaneMovedException(assignment.Index) : null, outage);
        }
    }

    /// <summary>The loop has ended, and does not read the mailbox any more.</summary>
    public void End()
    {
        _ended = true;

        // Either this finds what comes at the same moment, or who has added it finds that this was the end.
        Interlocked.MemoryBarrier();
        Empty(_refusal ?? StoppedOrMoved("the command"));
    }

    public void Empty(Exception error)
    {
        while (Mailbox.TryTake(out var command))
        {
            Resolve(command, c => c.Fail(error));
        }
    }

    private void Wake(LaneCommand command)
    {
        wake.Set();
        if (_ended)
        {
            Empty(_refusal ?? StoppedOrMoved(command.Description));
        }
    }

    private void Accept(LaneCommand command)
    {
        if (command.AcceptedTicks == 0)
        {
            command.AcceptedTicks = services.Time.GetTimestamp();
            command.AcceptedUtc = command.AcceptedUtc == default ? services.Time.GetUtcNow() : command.AcceptedUtc;
        }

        CountIn(command);
    }

    private void CountIn(LaneCommand command)
    {
        Backlog.Add(command.Size);
        services.Telemetry.PendingCommands.Add(1);
    }

    private WorkflowException StoppedOrMoved(string what) =>
        assignment.Node is null ? new EngineStoppedException(what) : new LaneMovedException(assignment.Index);
}

/// <summary>
/// The idempotency keys of the commands that callers have posted to the lanes of an engine, until their outcome is final. A command whose
/// key another lane is at work on waits outside of its mailbox: what it looks up then is decided, and no commit fails for it. Thread-safe.
/// </summary>
internal sealed class KeysAtWork
{
    private readonly Dictionary<string, Work> _keys = [];

    /// <returns>False where the command waits; <see cref="LaneIntake.Admit"/> follows.</returns>
    public bool TryEnter(LaneIntake lane, LaneCommand command)
    {
        command.HoldsKey = false;
        if (command.Key is not { } key || command.IsKeyNew)
        {
            return true;
        }

        lock (_keys)
        {
            if (!_keys.TryGetValue(key, out var work))
            {
                _keys.Add(key, work = new(lane));
            }

            if (work.Lane != lane || work.Waiting is { Count: > 0 })
            {
                (work.Waiting ??= new()).Enqueue((lane, command));
                return false;
            }

            work.Commands++;
            command.HoldsKey = true;
            return true;
        }
    }

    /// <summary>The outcome of a command is final: the next one that waits for its key goes on.</summary>
    public void Leave(LaneCommand command)
    {
        // Not by recursion: as many may wait as lanes take, for lanes that have ended.
        while (command.HoldsKey && Next(command) is var (lane, next) && !lane.Admit(next))
        {
            command = next;
        }
    }

    /// <summary>Those that wait for a command's key learn what its caller did.</summary>
    public void FailWaiting(LaneCommand command, Exception error)
    {
        lock (_keys)
        {
            foreach (var (_, waiting) in command.HoldsKey ? _keys[command.Key!].Waiting ?? [] : [])
            {
                waiting.Fail(error);
            }
        }
    }

    private (LaneIntake Lane, LaneCommand Command)? Next(LaneCommand ended)
    {
        lock (_keys)
        {
            ended.HoldsKey = false;
            var work = _keys[ended.Key!];
            if (--work.Commands > 0)
            {
                return null;
            }

            if (work.Waiting is null || !work.Waiting.TryDequeue(out var next))
            {
                _keys.Remove(ended.Key!);
                return null;
            }

            (work.Lane, work.Commands) = (next.Lane, 1);
            next.Command.HoldsKey = true;
            return next;
        }
    }

    private sealed class Work(LaneIntake lane)
    {
        public LaneIntake Lane { get; set; } = lane;
        public int Commands { get; set; }
        public Queue<(LaneIntake Lane, LaneCommand Command)>? Waiting { get; set; }
    }
}
