namespace Workflow.Engine.Timers;

/// <summary>The times of waits and signals: sets them, and fires them when they are due. Delays are waits that have nothing else.</summary>
internal sealed class TimerHandler : WaitHandler, IWaitTimers
{
    private readonly LaneContext _lane;
    private readonly DeadLetterHandler _deadLetters;

    public TimerHandler(InstanceHandler instances, DeadLetterHandler deadLetters, LaneContext lane)
        : base(instances)
    {
        _lane = lane;
        _deadLetters = deadLetters;
        deadLetters.Replays[DeadLetterKind.Timer] = deadLetter => Replay(DeadLetterDraft.Read<DeadTimer>(deadLetter.Payload));
        instances.Waits.Timers = this;
        instances.Waits[WaitKind.Delay] = this;
    }

    public TimerQueue Queue { get; } = new();

    public void Set(LiveInstance instance, Wait wait)
    {
        if (wait.DueUtc is { } due)
        {
            Queue.Add(TimerEntry.ForWait(due, instance.Id, wait.Id));
        }

        if (wait.Attempts?.NextUtc is { } next)
        {
            Queue.Add(TimerEntry.ForWait(next, instance.Id, wait.Id));
        }
    }

    public override void Begin(LiveInstance instance, StepDefinition step, int scope)
    {
        var delay = (DelayStep)step;
        if (Instances.Steps.TryDue(instance, delay.Id, delay.Duration, delay.Until, out var due)
            && Instances.Steps.TryRest(instance, delay))
        {
            InstanceHistory.Append(instance, _lane.Now, "waiting", delay.Id);
            Instances.BeginWait(instance, Instances.NewWait(delay.Id, WaitKind.Delay, scope) with { DueUtc = due });
        }
    }

    /// <summary>A timer is due; it may be stale.</summary>
    public void Fire(TimerEntry entry)
    {
        if (entry.SignalId != Guid.Empty)
        {
            _lane.Handler<ISignalTimers>().Fire(entry.SignalId, entry.DueUtc);
            return;
        }

        if (Instances.Live.GetValueOrDefault(entry.InstanceId) is not { } instance
            || instance.FindWait(entry.WaitId) is not { } wait || !wait.IsDue(entry.DueUtc)
            || instance.State == InstanceState.Suspended)
        {
            // What falls due while its instance is suspended is due again once that is resumed.
            return;
        }

        if (wait.DueUtc != entry.DueUtc)
        {
            Instances.Waits[wait.Kind].BeginAttempt(instance, wait);
            return;
        }

        Instances.Tokens.Take(instance, wait);
        if (wait.IsEvent)
        {
            Instances.Tokens.ResumeByEvent(instance, wait, Value.Null);
            return;
        }

        Instances.Tokens.EndWait(instance, wait, TaskState.TimedOut);
        var (what, next) = instance.Definition.Steps[wait.Step] switch
        {
            DelayStep delay => ("resumed", delay.Next),
            BoundedStep bounded => ("timedOut", bounded.OnTimeout!),
            var other => throw new InvalidOperationException($"A step of type '{other.Type}' has no timer."),
        };
        Instances.Tokens.Resume(instance, wait, what, next);
    }

    /// <summary>Rebuilds the queue from the timers still needed, once it has doubled.</summary>
    public void Compact()
    {
        if (Queue.IsWorthCompacting)
        {
            Queue.Compact(IsNeeded);
        }
    }

    /// <summary>A timer becomes a dead letter; the wait stays, and another event may resume it. A stale timer changes nothing.</summary>
    public void DeadLetter(TimerEntry entry, Guid deadLetterId, string reason, int attempts)
    {
        if (FindDue(entry) is { } wait)
        {
            var content = new DeadTimer(entry.InstanceId, wait.Id, wait.Step, entry.DueUtc);
            _deadLetters.Add(
                new(DeadLetterKind.Timer, Partitioning.OfInstance(entry.InstanceId), wait.Id, entry.InstanceId, content, entry.DueUtc),
                deadLetterId, reason, attempts);
        }
    }

    private bool Replay(DeadTimer timer)
    {
        var entry = TimerEntry.ForWait(timer.DueUtc, timer.InstanceId, timer.WaitId);
        if (FindDue(entry) is null)
        {
            return false;
        }

        Fire(entry);
        return true;
    }

    private bool IsNeeded(TimerEntry entry) =>
        entry.SignalId != Guid.Empty ? _lane.Handler<ISignalTimers>().Holds(entry.SignalId) : FindDue(entry) is not null;

    private Wait? FindDue(TimerEntry entry) =>
        Instances.Live.GetValueOrDefault(entry.InstanceId)?.FindWait(entry.WaitId) is { } wait && wait.IsDue(entry.DueUtc) ? wait : null;
}

/// <summary>The times of signals: when they are delivered, and when they expire.</summary>
internal interface ISignalTimers
{
    /// <summary>A timer of a signal is due; it may be stale.</summary>
    void Fire(Guid signalId, DateTimeOffset due);

    /// <summary>Whether the signal is still stored.</summary>
    bool Holds(Guid signalId);

    /// <summary>A stored signal becomes a dead letter. Nothing happens when it is gone.</summary>
    void DeadLetter(Guid signalId, Guid deadLetterId, string reason, int attempts);
}

internal sealed class TimerLaneCommand(TimerEntry entry) : LaneCommand
{
    public TimerEntry Entry => entry;

    public override string Description => entry.SignalId == Guid.Empty
        ? $"timer of instance {entry.InstanceId}"
        : $"timer of signal {entry.SignalId}";

    public override bool CanDeadLetter => true;

    /// <summary>The wait or the signal, with the time: a wait may have two.</summary>
    public (Guid Subject, DateTimeOffset Due) Subject => (entry.SignalId == Guid.Empty ? entry.WaitId : entry.SignalId, entry.DueUtc);

    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts)
    {
        if (entry.SignalId == Guid.Empty)
        {
            lane.Handler<TimerHandler>().DeadLetter(entry, deadLetterId, reason, attempts);
        }
        else
        {
            lane.Handler<ISignalTimers>().DeadLetter(entry.SignalId, deadLetterId, reason, attempts);
        }
    }

    public override void Apply(LaneContext lane) => lane.Handler<TimerHandler>().Fire(entry);
}
