using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Commands;
using Workflow.Engine.Lanes;

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

    public override void Apply(LaneExecutor executor) => poison.DeadLetter(executor, deadLetterId, StoreLimits.Message(reason), attempts);
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

    public override void Apply(LaneExecutor executor)
    {
        if (IsRepeated(executor, requestHash, _ => null))
        {
            return;
        }

        if (!executor.DeadLetters.Holds(deadLetter.Id))
        {
            Succeed(null);
            return;
        }

        var isApplied = executor.Replay(deadLetter);
        KeepKey(executor, requestHash, deadLetter.Id);
        Succeed(new(deadLetter.Id, isApplied, Duplicate: false));
    }

    /// <summary>It stays the same dead letter, with one more attempt.</summary>
    public override void DeadLetter(LaneExecutor executor, Guid deadLetterId, string reason, int attempts)
    {
        if (executor.DeadLetters.Holds(deadLetter.Id))
        {
            Refuse(new DeadLetterRefusedException(deadLetter.Id, executor.RefuseReplay(deadLetter.Id, reason), reason));
        }
    }
}
