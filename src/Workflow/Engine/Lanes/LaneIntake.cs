namespace Workflow.Engine.Lanes;

/// <summary>
/// The entry of a lane: accepts commands and tracks each until its outcome is final. Any thread may post; the lane's
/// loop does the rest.
/// </summary>
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

    /// <summary>Whether the lane is ending: accepted commands are committed, new ones are refused.</summary>
    public bool IsStopping => _stopping;

    /// <summary>Why commands are refused; null while they are accepted.</summary>
    public Exception? Refusal
    {
        get => _refusal;
        set => _refusal = value;
    }

    /// <summary>
    /// Whether the refusal is final: memory holds changes that will never be committed, so nothing may be acknowledged
    /// from it.
    /// </summary>
    public bool IsRefusalFinal => _refusal is EngineStoppedException or LaneMovedException;

    /// <summary>How long the lane has had work without progress; zero while it has none.</summary>
    public TimeSpan StalledFor =>
        Backlog.Count > 0 || (_refusal is EngineStoppedException or StoreUnavailableException && !_stopping)
            ? Backlog.TimeSinceProgress
            : TimeSpan.Zero;

    /// <summary>Posts a client's command. Throws if the mailbox is full or the lane has stopped.</summary>
    public void Post(LaneCommand command)
    {
        command.AcceptedTicks = services.Time.GetTimestamp();
        command.AcceptedUtc = services.Time.GetUtcNow();
        if (_stopping || _refusal is not null)
        {
            throw _refusal ?? StoppedOrMoved(command.Description);
        }

        Backlog.AddFromClient(command.Size);
        services.Telemetry.PendingCommands.Add(1);
        if (services.ActiveKeys.TryEnter(this, command))
        {
            Mailbox.AddFromCaller(command);
            Wake(command);
        }
    }

    /// <summary>Accepts a posted command that has waited for its key.</summary>
    /// <returns>False if the lane has ended and the command has failed.</returns>
    public bool Admit(LaneCommand command)
    {
        if (_ended)
        {
            Report(command, c => c.Fail(_refusal ?? StoppedOrMoved(c.Description)));
            return false;
        }

        Mailbox.AddFromCaller(command);
        Wake(command);
        return true;
    }

    /// <summary>Posts a command of the engine itself, which is never refused.</summary>
    public void PostInternal(LaneCommand command)
    {
        Accept(command);
        Mailbox.AddInternal(command);
        Wake(command);
    }

    /// <summary>Adds a message that was loaded with the lane.</summary>
    public void AddLoaded(LaneCommand command)
    {
        Accept(command);
        Mailbox.AddLoaded(command);
    }

    /// <summary>Tracks a command that the loop created and that is in no mailbox.</summary>
    public T Track<T>(T command, DateTimeOffset acceptedUtc)
        where T : LaneCommand
    {
        command.AcceptedTicks = services.Time.GetTimestamp();
        command.AcceptedUtc = acceptedUtc;
        AddToBacklog(command);
        return command;
    }

    public void Resolve(LaneCommand command, Action<LaneCommand> report)
    {
        Report(command, report);
        services.ActiveKeys.Leave(command);
    }

    private void Report(LaneCommand command, Action<LaneCommand> report)
    {
        Backlog.Remove(command.Size);
        services.Telemetry.PendingCommands.Add(-1);
        report(command);
        if (Backlog.MarkAnswered())
        {
            services.Progressed();
        }
    }

    /// <summary>Stops the lane: posted commands are still executed, except for timers. New ones are refused.</summary>
    public void Stop()
    {
        _stopping = true;
        wake.Set();
    }

    /// <summary>The lease is lost: the lane can commit nothing more.</summary>
    public void MarkLost()
    {
        _lost = true;
        _refusal = new LaneMovedException(assignment.Index);
        wake.Set();
    }

    /// <summary>Called once a second: wakes a lane that has work, so that it checks for timed-out callers.</summary>
    public void CheckCallers()
    {
        if (Backlog.Count > 0)
        {
            _secondIsOver = true;
            wake.Set();
        }
    }

    /// <summary>
    /// Fails callers when the store has neither committed nor failed for too long. Only seconds in which the lane could
    /// check count: a paused process has not waited for its store.
    /// </summary>
    /// <param name="held">Returns the commands that the lane has taken and not finished.</param>
    public void FailTimedOutCallers(bool isWaiting, Func<IEnumerable<LaneCommand>> held)
    {
        if (!_secondIsOver)
        {
            return;
        }

        _secondIsOver = false;
        var progress = Backlog.LastProgressTicks;
        _secondsWaited = isWaiting && _refusal is null && progress == _lastProgress ? _secondsWaited + 1 : 0;
        _lastProgress = progress;
        if (_secondsWaited >= services.StoreTimeout.TotalSeconds)
        {
            BeginOutage(_secondsWaited, held());
            _secondsWaited = 0;
        }
    }

    /// <summary>
    /// Fails all waiting callers because the store does not answer, and refuses new commands. Posted commands continue
    /// if the store answers later.
    /// </summary>
    /// <param name="held">The commands that the lane has taken and not finished.</param>
    public void BeginOutage(int seconds, IEnumerable<LaneCommand> held)
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
        foreach (var command in held.Concat(Mailbox.FromCallers).Where(c => c.IsAwaited))
        {
            command.Fail(refusal);
            services.ActiveKeys.FailWaiting(command, refusal);
        }
    }

    /// <summary>The store answers again or memory is reloaded: accepts commands, unless the lease was lost.</summary>
    public void EndOutage()
    {
        if (_refusal is StoreUnavailableException outage)
        {
            // Keeps the refusal if the lease is lost at the same moment.
            Interlocked.CompareExchange<Exception?>(
                ref _refusal, _lost ? new LaneMovedException(assignment.Index) : null, outage);
        }
    }

    /// <summary>The loop has ended and no longer reads the mailbox.</summary>
    public void End()
    {
        _ended = true;

        // Either this call finds a command that arrives at the same moment, or its sender sees that the lane has ended.
        Interlocked.MemoryBarrier();
        FailQueued(_refusal ?? StoppedOrMoved("the command"));
    }

    public void FailQueued(Exception error)
    {
        while (Mailbox.TryTake(out var command))
        {
            Resolve(command, c => c.Fail(error));
        }
    }

    /// <summary>Lets the lane step, because something was read for it.</summary>
    public void Wake() => wake.Set();

    private void Wake(LaneCommand command)
    {
        wake.Set();
        if (_ended)
        {
            FailQueued(_refusal ?? StoppedOrMoved(command.Description));
        }
    }

    private void Accept(LaneCommand command)
    {
        if (command.AcceptedTicks == 0)
        {
            command.AcceptedTicks = services.Time.GetTimestamp();
            command.AcceptedUtc = command.AcceptedUtc == default ? services.Time.GetUtcNow() : command.AcceptedUtc;
        }

        AddToBacklog(command);
    }

    private void AddToBacklog(LaneCommand command)
    {
        Backlog.Add(command.Size);
        services.Telemetry.PendingCommands.Add(1);
    }

    private WorkflowException StoppedOrMoved(string what) =>
        assignment.Node is null ? new EngineStoppedException(what) : new LaneMovedException(assignment.Index);
}
