namespace Workflow.Engine.DeadLetters;

/// <summary>
/// Adds and replays dead letters: work that cannot be applied. The handler of the work applies its content.
/// </summary>
internal sealed class DeadLetterHandler(LaneState lane)
{
    public DeadLetterIndex Index { get; } = new();

    /// <summary>Adds a dead letter. The caller removes the work that it represents in the same commit.</summary>
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

    /// <returns>Whether the replay had an effect; false if the wait has ended.</returns>
    public bool Replay(DeadLetterRow deadLetter)
    {
        var attempts = Close(deadLetter.Id) + 1;
        var applied = deadLetter.Kind switch
        {
            DeadLetterKind.Signal => lane.Signals.Replay(deadLetter),
            DeadLetterKind.Timer => lane.Timers.Replay(deadLetter),
            DeadLetterKind.Activity => lane.Activities.Replay(deadLetter),
            DeadLetterKind.Message => lane.Messages.Replay(deadLetter),
            _ => throw new InvalidOperationException(
                $"Dead letter {deadLetter.Id} is of the unknown kind {deadLetter.Kind}."),
        };
        lane.Batch.ChangeDeadLetter(new(deadLetter.Id, deadLetter.Reason, attempts, lane.Now, applied));
        return applied;
    }

    /// <returns>The number of attempts, including this one.</returns>
    public int RefuseReplay(Guid id, string reason)
    {
        var attempts = Index.CountAttempt(id);
        lane.Batch.OnRollBack(() => Index.CountAttempt(id, -1));
        lane.Batch.ChangeDeadLetter(new(id, reason, attempts, lane.Now, Applied: null));
        return attempts;
    }

    /// <summary>
    /// Closes the dead letter of a subscription whose wait has ended: a replay would find no wait to resume.
    /// </summary>
    public void CloseSubscription(Guid waitId)
    {
        if (Index.FindSubscription(waitId) is { } deadLetter)
        {
            lane.Batch.ChangeDeadLetter(new(
                deadLetter, "The wait was over before its subscription was applied.", Close(deadLetter), lane.Now,
                Applied: false));
        }
    }

    /// <returns>The number of attempts so far.</returns>
    private int Close(Guid id)
    {
        var closed = Index.Remove(id);
        lane.Batch.OnRollBack(() => Index.Restore(id, closed));
        return closed.Attempts;
    }
}
