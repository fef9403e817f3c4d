namespace Workflow.Engine.Timers;

/// <summary>Schedules and fires the timers of waits and signals. A delay is a wait that has only a timer.</summary>
internal sealed class TimerHandler(InstanceHandler instances, DeadLetterHandler deadLetters, LaneState lane)
    : WaitHandler(instances)
{
    public TimerQueue Queue { get; } = new();

    /// <summary>Adds the timers of a wait: its timeout, and the next attempt of its activity.</summary>
    public void Schedule(LiveInstance instance, Wait wait)
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
        if (Instances.Steps.TryEvaluateDue(instance, delay.Id, delay.Duration, delay.Until, out var due)
            && Instances.Steps.TryAddWait(instance, delay))
        {
            InstanceHistory.Append(instance, lane.Now, "waiting", delay.Id);
            Instances.BeginWait(instance, Instances.NewWait(delay.Id, WaitKind.Delay, scope) with { DueUtc = due });
        }
    }

    /// <summary>
    /// Fires a due timer. A stale timer changes nothing; an instance whose timer is due is in memory.
    /// </summary>
    public void Fire(TimerEntry entry)
    {
        if (entry.SignalId != Guid.Empty)
        {
            lane.Signals.Fire(entry.SignalId, entry.DueUtc);
            return;
        }

        if (Instances.Residents.Find(entry.InstanceId) is not { } instance
            || instance.FindWait(entry.WaitId) is not { } wait || !wait.IsDue(entry.DueUtc)
            || instance.State == InstanceState.Suspended)
        {
            // A timer that falls due while its instance is suspended is due again when the instance is resumed.
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

    /// <summary>Rebuilds the queue from the timers that are still needed when its size has doubled.</summary>
    public void Compact()
    {
        if (Queue.IsWorthCompacting)
        {
            Queue.Compact(IsNeeded);
        }
    }

    /// <summary>
    /// Turns a timer into a dead letter. The wait stays, and another event may resume it. A stale timer changes
    /// nothing.
    /// </summary>
    public void DeadLetter(TimerEntry entry, Guid deadLetterId, string reason, int attempts)
    {
        if (FindDue(entry) is { } wait)
        {
            var content = new DeadTimer(entry.InstanceId, wait.Id, wait.Step, entry.DueUtc);
            var partition = Partitioning.OfInstance(entry.InstanceId);
            deadLetters.Add(
                new(DeadLetterKind.Timer, partition, wait.Id, entry.InstanceId, content, entry.DueUtc),
                deadLetterId, reason, attempts);
        }
    }

    /// <returns>False when the wait is over.</returns>
    public bool Replay(DeadLetterRow deadLetter)
    {
        var timer = DeadLetterDraft.Read<DeadTimer>(deadLetter.Payload);
        var entry = TimerEntry.ForWait(timer.DueUtc, timer.InstanceId, timer.WaitId);
        lane.Dormancy.Find(timer.InstanceId);
        if (FindDue(entry) is null)
        {
            return false;
        }

        Fire(entry);
        return true;
    }

    private bool IsNeeded(TimerEntry entry) =>
        entry.SignalId != Guid.Empty
            ? lane.SignalStore.Stored.ContainsKey(entry.SignalId)
            : FindDue(entry) is not null;

    private Wait? FindDue(TimerEntry entry)
    {
        var wait = Instances.Residents.Find(entry.InstanceId)?.FindWait(entry.WaitId);
        return wait?.IsDue(entry.DueUtc) is true ? wait : null;
    }
}
