namespace Workflow.Engine.DeadLetters;

/// <summary>
/// Applies a dead letter and closes it in one commit. The result is null if the dead letter is closed; the store has
/// the outcome.
/// </summary>
internal sealed class ReplayLaneCommand(DeadLetterRow deadLetter, string? idempotencyKey, string? requestHash)
    : LaneCommand<DeadLetterReplayed?>
{
    public override string? Key { get; } = KeyOf("replay", idempotencyKey);
    public override long Size => deadLetter.Payload.Length;
    public override string Description => $"replay of dead letter {deadLetter.Id}";
    public override bool CanDeadLetter => true;

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => null))
        {
            return;
        }

        var handler = lane.DeadLetters;
        if (!handler.Index.Holds(deadLetter.Id))
        {
            Succeed(null);
            return;
        }

        var isApplied = handler.Replay(deadLetter);
        StoreKey(lane, requestHash, deadLetter.Id);
        Succeed(new(deadLetter.Id, isApplied, Duplicate: false));
    }

    /// <summary>Keeps the same dead letter and counts one more attempt.</summary>
    public override void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts)
    {
        var handler = lane.DeadLetters;
        if (handler.Index.Holds(deadLetter.Id))
        {
            Refuse(new DeadLetterRefusedException(deadLetter.Id, handler.RefuseReplay(deadLetter.Id, reason), reason));
        }
    }
}
