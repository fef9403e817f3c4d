using Workflow.Abstractions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Activities;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Instances;
using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Execution;

/// <content>Dead letters: putting work aside, and applying it after all.</content>
internal sealed partial class LaneExecutor
{
    public LetterBook Letters => State.Letters;

    /// <summary>A signal that comes becomes a letter: it is accepted.</summary>
    public void PutSignalAside(SignalCommand request, Guid signalId, Guid letterId, string reason, int attempts)
    {
        Batch.Tally.Signals++;
        AddLetter(DraftOf(RowOf(request, signalId)), letterId, reason, attempts);
    }

    /// <summary>A stored signal becomes a letter. Nothing happens when it is gone already.</summary>
    public void PutSignalAside(Guid signalId, Guid letterId, string reason, int attempts)
    {
        if (State.StoredSignals.TryGetValue(signalId, out var signal))
        {
            Withdraw(signal);
            AddLetter(DraftOf(signal), letterId, reason, attempts);
        }
    }

    /// <summary>A timer becomes a letter; the wait stays, and its instance may go on in another way. Nothing happens when it is stale.</summary>
    public void PutTimerAside(TimerEntry entry, Guid letterId, string reason, int attempts)
    {
        if (FindWait(entry.InstanceId, entry.WaitId) is { } wait && wait.IsDue(entry.DueUtc))
        {
            var letter = new TimerLetter(entry.InstanceId, wait.Id, wait.Step, entry.DueUtc);
            AddLetter(new(DeadLetterKind.Timer, Partitioning.OfInstance(entry.InstanceId), wait.Id, entry.InstanceId, letter, entry.DueUtc), letterId, reason, attempts);
        }
    }

    /// <summary>What an activity returned becomes a letter; the wait stays. Nothing happens when nobody waits for it any more.</summary>
    public void PutActivityAside(Guid instanceId, Guid waitId, Value? result, ActivityFailure? failure, Guid letterId, string reason, int attempts)
    {
        if (FindWait(instanceId, waitId) is { } wait)
        {
            var letter = new ActivityLetter(instanceId, waitId, wait.Step, wait.Name!, result?.ToJsonElement(), failure?.Message, failure?.IsFinal ?? false);
            AddLetter(new(DeadLetterKind.Activity, Partitioning.OfInstance(instanceId), waitId, instanceId, letter), letterId, reason, attempts);
        }
    }

    /// <summary>A message becomes a letter.</summary>
    public void PutMessageAside(MessageRow message, Guid letterId, string reason, int attempts)
    {
        if (IsToBeHandled(message.Id, fromSnapshot: true))
        {
            Batch.RemoveMessage(message.Id);
            var letter = MessageLetter.From(message);
            AddLetter(new(DeadLetterKind.Message, message.Partition, message.Id, PartitionMessage.Parse(message.Body).AddressedTo, letter), letterId, reason, attempts);
        }
    }

    /// <summary>Applies an open letter and closes it.</summary>
    /// <returns>Whether it had an effect: false when what it was for is over.</returns>
    public bool Replay(DeadLetterRow letter)
    {
        var attempts = Letters.Remove(letter.Id) + 1;
        var applied = letter.Kind switch
        {
            DeadLetterKind.Signal => ReplaySignal(letter, LetterDraft.Read<SignalLetter>(letter.Payload)),
            DeadLetterKind.Timer => ReplayTimer(LetterDraft.Read<TimerLetter>(letter.Payload)),
            DeadLetterKind.Activity => ReplayActivity(LetterDraft.Read<ActivityLetter>(letter.Payload)),
            DeadLetterKind.Message => ReplayMessage(letter, LetterDraft.Read<MessageLetter>(letter.Payload)),
            var other => throw new InvalidOperationException($"Dead letter {letter.Id} is of the unknown kind {other}."),
        };
        Batch.ChangeLetter(new(letter.Id, letter.Reason, attempts, _now, applied));
        return applied;
    }

    /// <summary>An open letter was tried in vain.</summary>
    /// <returns>Attempts with this one.</returns>
    public int RefuseReplay(Guid id, string reason)
    {
        var attempts = Letters.Retried(id);
        Batch.ChangeLetter(new(id, reason, attempts, _now, Applied: null));
        return attempts;
    }

    /// <summary>A subscription that was put aside is over with its wait: a replay would leave it to nobody.</summary>
    private void CloseSubscribing(Guid waitId)
    {
        if (Letters.FindSubscribing(waitId) is { } letter)
        {
            Batch.ChangeLetter(new(letter, "The wait was over before its subscription was applied.", Letters.Remove(letter), _now, Applied: false));
        }
    }

    /// <summary>Keeps a letter; whoever calls it takes away what it stands for, in the same commit.</summary>
    private void AddLetter(LetterDraft draft, Guid id, string reason, int attempts)
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
        Letters.Add(row);
        Batch.AddLetter(row);
        Batch.Tally.DeadLettered++;
    }

    private static LetterDraft DraftOf(SignalRow signal) => new(DeadLetterKind.Signal, signal.Partition, signal.Id, signal.InstanceId, SignalLetter.From(signal));

    private Wait? FindWait(Guid instanceId, Guid waitId) => State.Instances.GetValueOrDefault(instanceId)?.FindWait(waitId);

    private bool ReplaySignal(DeadLetterRow letter, SignalLetter content)
    {
        var signal = content.ToRow(letter.SubjectId, letter.Partition, State.NextPosition(_now), _now + _options.SignalTimeToLive);
        if (signal.InstanceId is not null)
        {
            if (SignalInstance(signal, SignalPayload.Of(signal)) is not null)
            {
                return true;
            }

            RaiseExpired(signal, "its instance finished without taking it");
            return false;
        }

        Accept(signal, SignalPayload.Of(signal));
        return true;
    }

    private bool ReplayTimer(TimerLetter timer)
    {
        if (FindWait(timer.InstanceId, timer.WaitId)?.IsDue(timer.DueUtc) is not true)
        {
            return false;
        }

        Fire(TimerEntry.ForWait(timer.DueUtc, timer.InstanceId, timer.WaitId));
        return true;
    }

    private bool ReplayActivity(ActivityLetter activity)
    {
        if (FindWait(activity.InstanceId, activity.WaitId) is null)
        {
            return false;
        }

        var result = activity.Result is { } json ? Value.From(json) : Value.Null;
        FinishActivity(activity.InstanceId, activity.WaitId, result, activity.Failure is { } message ? new(message, activity.IsFinal) : null);
        return true;
    }

    private bool ReplayMessage(DeadLetterRow letter, MessageLetter message)
    {
        Carry(letter.Partition, message.Kind, PartitionMessage.Parse(message.Body.GetRawText()));
        return true;
    }
}
