using Workflow.Abstractions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Activities;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Instances;
using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <content>Dead letters: work that cannot be applied, and its replay.</content>
internal sealed partial class LaneExecutor
{
    public DeadLetterIndex DeadLetters => State.DeadLetters;

    /// <summary>A new signal becomes a dead letter; it counts as accepted.</summary>
    public void DeadLetterSignal(SignalCommand request, Guid signalId, Guid deadLetterId, string reason, int attempts)
    {
        Batch.Tally.Signals++;
        AddDeadLetter(DraftOf(RowOf(request, signalId)), deadLetterId, reason, attempts);
    }

    /// <summary>A stored signal becomes a dead letter. Nothing happens when it is gone.</summary>
    public void DeadLetterSignal(Guid signalId, Guid deadLetterId, string reason, int attempts)
    {
        if (State.StoredSignals.TryGetValue(signalId, out var signal))
        {
            UnbufferSignal(signal);
            AddDeadLetter(DraftOf(signal), deadLetterId, reason, attempts);
        }
    }

    /// <summary>A timer becomes a dead letter; the wait stays, and another event may resume it. A stale timer changes nothing.</summary>
    public void DeadLetterTimer(TimerEntry entry, Guid deadLetterId, string reason, int attempts)
    {
        if (FindWait(entry.InstanceId, entry.WaitId) is { } wait && wait.IsDue(entry.DueUtc))
        {
            var deadLetter = new DeadTimer(entry.InstanceId, wait.Id, wait.Step, entry.DueUtc);
            AddDeadLetter(
                new(DeadLetterKind.Timer, Partitioning.OfInstance(entry.InstanceId), wait.Id, entry.InstanceId, deadLetter, entry.DueUtc),
                deadLetterId, reason, attempts);
        }
    }

    /// <summary>The result of an activity becomes a dead letter; the wait stays. Nothing happens when the wait is over.</summary>
    public void DeadLetterActivity(
        Guid instanceId, Guid waitId, Value? result, ActivityFailure? failure, Guid deadLetterId, string reason, int attempts)
    {
        if (FindWait(instanceId, waitId) is { } wait)
        {
            var deadLetter = new DeadActivity(
                instanceId, waitId, wait.Step, wait.Name!, result?.ToJsonElement(), failure?.Message, failure?.IsFinal ?? false,
                failure?.Code);
            AddDeadLetter(new(DeadLetterKind.Activity, Partitioning.OfInstance(instanceId), waitId, instanceId, deadLetter), deadLetterId,
                reason, attempts);
        }
    }

    public void DeadLetterMessage(MessageRow message, Guid deadLetterId, string reason, int attempts)
    {
        if (IsToBeApplied(message.Id))
        {
            Batch.RemoveMessage(message.Id);
            var deadLetter = DeadMessage.From(message);
            AddDeadLetter(
                new(DeadLetterKind.Message, message.Partition, message.Id, PartitionMessage.Parse(message.Body).AddressedTo, deadLetter),
                deadLetterId, reason, attempts);
        }
    }

    /// <summary>Applies an open dead letter and closes it.</summary>
    /// <returns>Whether it had an effect: false when its wait is over.</returns>
    public bool Replay(DeadLetterRow deadLetter)
    {
        var attempts = Close(deadLetter.Id) + 1;
        var applied = deadLetter.Kind switch
        {
            DeadLetterKind.Signal => ReplaySignal(deadLetter, DeadLetterDraft.Read<DeadSignal>(deadLetter.Payload)),
            DeadLetterKind.Timer => ReplayTimer(DeadLetterDraft.Read<DeadTimer>(deadLetter.Payload)),
            DeadLetterKind.Activity => ReplayActivity(DeadLetterDraft.Read<DeadActivity>(deadLetter.Payload)),
            DeadLetterKind.Message => ReplayMessage(deadLetter, DeadLetterDraft.Read<DeadMessage>(deadLetter.Payload)),
            var other => throw new InvalidOperationException($"Dead letter {deadLetter.Id} is of the unknown kind {other}."),
        };
        Batch.ChangeDeadLetter(new(deadLetter.Id, deadLetter.Reason, attempts, _now, applied));
        return applied;
    }

    /// <returns>Attempts, this one included.</returns>
    public int RefuseReplay(Guid id, string reason)
    {
        var attempts = DeadLetters.CountAttempt(id);
        Batch.OnRollBack(() => DeadLetters.CountAttempt(id, -1));
        Batch.ChangeDeadLetter(new(id, reason, attempts, _now, Applied: null));
        return attempts;
    }

    /// <summary>Closes the dead letter of a subscription whose wait is over: a replay would have no wait to resume.</summary>
    private void CloseSubscribing(Guid waitId)
    {
        if (DeadLetters.FindSubscribing(waitId) is { } deadLetter)
        {
            Batch.ChangeDeadLetter(
                new(deadLetter, "The wait was over before its subscription was applied.", Close(deadLetter), _now, Applied: false));
        }
    }

    /// <returns>Attempts so far.</returns>
    private int Close(Guid id)
    {
        var closed = DeadLetters.Remove(id);
        Batch.OnRollBack(() => DeadLetters.Restore(id, closed));
        return closed.Attempts;
    }

    /// <summary>Adds a dead letter. The caller removes the work that it stands for, in the same commit.</summary>
    private void AddDeadLetter(DeadLetterDraft draft, Guid id, string reason, int attempts)
    {
        var row = new DeadLetterRow
        {
            Id = id,
            Partition = draft.Partition,
            Kind = draft.Kind,
            SubjectId = draft.SubjectId,
            InstanceId = draft.InstanceId,
            Reason = reason,
            Attempts = attempts,
            Payload = draft.PayloadJson,
            CreatedUtc = _now,
            LastAttemptUtc = _now,
        };
        DeadLetters.Add(row);
        Batch.AddDeadLetter(row);
        Batch.OnRollBack(() => DeadLetters.Remove(id));
        Batch.Tally.DeadLettered++;
    }

    private static DeadLetterDraft DraftOf(SignalRow signal) =>
        new(DeadLetterKind.Signal, signal.Partition, signal.Id, signal.InstanceId, DeadSignal.From(signal));

    private Wait? FindWait(Guid instanceId, Guid waitId) => State.Instances.GetValueOrDefault(instanceId)?.FindWait(waitId);

    private bool ReplaySignal(DeadLetterRow deadLetter, DeadSignal content)
    {
        var signal = content.ToRow(deadLetter.SubjectId, deadLetter.Partition, State.NextPosition(_now), _now + _options.SignalTimeToLive);
        if (signal.InstanceId is not null)
        {
            if (MatchInstanceSignal(signal, SignalPayload.Of(signal)) is not null)
            {
                return true;
            }

            RaiseExpired(signal, "its instance finished without taking it");
            return false;
        }

        RouteSignal(signal, SignalPayload.Of(signal));
        return true;
    }

    private bool ReplayTimer(DeadTimer timer)
    {
        if (FindWait(timer.InstanceId, timer.WaitId)?.IsDue(timer.DueUtc) is not true)
        {
            return false;
        }

        Fire(TimerEntry.ForWait(timer.DueUtc, timer.InstanceId, timer.WaitId));
        return true;
    }

    private bool ReplayActivity(DeadActivity activity)
    {
        if (FindWait(activity.InstanceId, activity.WaitId) is null)
        {
            return false;
        }

        var result = activity.Result is { } json ? Value.From(json) : Value.Null;
        FinishActivity(activity.InstanceId, activity.WaitId, result,
            activity.Failure is { } message ? new(message, activity.IsFinal, activity.Code) : null);
        return true;
    }

    private bool ReplayMessage(DeadLetterRow deadLetter, DeadMessage message)
    {
        ApplyMessage(deadLetter.Partition, message.Kind, PartitionMessage.Parse(message.Body.GetRawText()));
        return true;
    }
}
