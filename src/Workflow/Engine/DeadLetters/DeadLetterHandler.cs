namespace Workflow.Engine.DeadLetters;

/// <summary>
/// Dead letters: work that cannot be applied, and its replay. What they hold, and how that is applied, is with their features.
/// </summary>
internal sealed class DeadLetterHandler(LaneContext lane)
{
    public DeadLetterIndex Index { get; } = new();

    /// <summary>Applies the content of a dead letter; returns whether it had an effect. Set by the features.</summary>
    public Dictionary<DeadLetterKind, Func<DeadLetterRow, bool>> Replays { get; } = [];

    /// <summary>Adds a dead letter. The caller removes the work that it stands for, in the same commit.</summary>
    public void Add(DeadLetterDraft draft, Guid id, string reason, int attempts)
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
            CreatedUtc = lane.Now,
            LastAttemptUtc = lane.Now,
        };
        Index.Add(row);
        lane.Batch.AddDeadLetter(row);
        lane.Batch.OnRollBack(() => Index.Remove(id));
        lane.Batch.Tally.DeadLettered++;
    }

    /// <summary>Applies an open dead letter and closes it.</summary>
    /// <returns>Whether it had an effect: false when its wait is over.</returns>
    public bool Replay(DeadLetterRow deadLetter)
    {
        var attempts = Close(deadLetter.Id) + 1;
        var replay = Replays.GetValueOrDefault(deadLetter.Kind)
            ?? throw new InvalidOperationException($"Dead letter {deadLetter.Id} is of the unknown kind {deadLetter.Kind}.");
        var applied = replay(deadLetter);
        lane.Batch.ChangeDeadLetter(new(deadLetter.Id, deadLetter.Reason, attempts, lane.Now, applied));
        return applied;
    }

    /// <returns>Attempts, this one included.</returns>
    public int RefuseReplay(Guid id, string reason)
    {
        var attempts = Index.CountAttempt(id);
        lane.Batch.OnRollBack(() => Index.CountAttempt(id, -1));
        lane.Batch.ChangeDeadLetter(new(id, reason, attempts, lane.Now, Applied: null));
        return attempts;
    }

    /// <summary>Closes the dead letter of a subscription whose wait is over: a replay would have no wait to resume.</summary>
    public void CloseSubscribing(Guid waitId)
    {
        if (Index.FindSubscribing(waitId) is { } deadLetter)
        {
            lane.Batch.ChangeDeadLetter(
                new(deadLetter, "The wait was over before its subscription was applied.", Close(deadLetter), lane.Now, Applied: false));
        }
    }

    /// <returns>Attempts so far.</returns>
    private int Close(Guid id)
    {
        var closed = Index.Remove(id);
        lane.Batch.OnRollBack(() => Index.Restore(id, closed));
        return closed.Attempts;
    }
}

/// <summary>
/// Replaces a command that cannot be applied, and dead-letters it. The work of the poison command stays where it is until this
/// is committed; a caller of the poison command is acknowledged then.
/// </summary>
internal sealed class DeadLetterLaneCommand(LaneCommand poison, Guid deadLetterId, string reason, int attempts) : LaneCommand
{
    public LaneCommand Poison => poison;
    public override bool IsAwaited => poison.IsAwaited;
    public override long Size => poison.Size;
    public override string Description => $"dead letter of the {poison.Description}";

    public override void Apply(LaneContext lane) => poison.DeadLetter(lane, deadLetterId, StoreLimits.Message(reason), attempts);
    public override void Acknowledge() => poison.Acknowledge();
    public override void Fail(Exception error) => poison.Fail(error);
}

/// <summary>Applies a dead letter and closes it, in one commit. The result is null when it is closed: the store has the outcome.</summary>
internal sealed class ReplayLaneCommand(DeadLetterRow deadLetter, string? idempotencyKey, string? requestHash)
    : LaneCommand<DeadLetterReplayed?>
{
    public override string? Key { get; } = KeyOf("replay", idempotencyKey);
    public override long Size => deadLetter.Payload.Length;
    public override string Description => $"replay of dead letter {deadLetter.Id}";
    public override bool CanDeadLetter => true;

    public override void Apply(LaneContext lane)
    {
        if (IsRepeated(lane, requestHash, _ => null))
        {
            return;
        }

        var handler = lane.Handler<DeadLetterHandler>();
        if (!handler.Index.Holds(deadLetter.Id))
        {
            Succeed(null);
            return;
        }

        var isApplied = handler.Replay(deadLetter);
        KeepKey(lane, requestHash, deadLetter.Id);
        Succeed(new(deadLetter.Id, isApplied, Duplicate: false));
    }

    /// <summary>It stays the same dead letter, with one more attempt.</summary>
    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts)
    {
        var handler = lane.Handler<DeadLetterHandler>();
        if (handler.Index.Holds(deadLetter.Id))
        {
            Refuse(new DeadLetterRefusedException(deadLetter.Id, handler.RefuseReplay(deadLetter.Id, reason), reason));
        }
    }
}
