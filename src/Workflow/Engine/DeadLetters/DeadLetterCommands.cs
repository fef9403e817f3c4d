using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Commands;

namespace Workflow.Engine.DeadLetters;

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
