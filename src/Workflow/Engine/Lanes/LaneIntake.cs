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
        Backlog.Count > 0 || (_refusal is EngineStoppedException && !_stopping) ? Backlog.SinceProgress : TimeSpan.Zero;

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
        Mailbox.AddOfCaller(command);
        Wake(command);
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

    /// <summary>Memory is loaded again: commands are taken, unless the lease was lost.</summary>
    public void Readmit() => _refusal = _lost ? new LaneMovedException(assignment.Index) : null;

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
