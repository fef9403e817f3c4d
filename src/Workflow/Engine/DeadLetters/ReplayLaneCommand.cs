using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Execution;

namespace Workflow.Engine.DeadLetters;

/// <summary>Applies a dead letter and closes it, in one commit. The result is null when somebody else has done that: the store tells how it went.</summary>
internal sealed class ReplayLaneCommand(DeadLetterRow letter) : LaneCommand<DeadLetterReplayed?>
{
    public override string Description => $"replay of dead letter {letter.Id}";

    public override bool CanBePutAside => true;

    public override void Apply(LaneExecutor executor) =>
        Succeed(executor.Letters.Holds(letter.Id) ? new(letter.Id, executor.Replay(letter), Duplicate: false) : null);

    /// <summary>It stays the letter that it is, with one attempt more.</summary>
    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts)
    {
        if (executor.Letters.Holds(letter.Id))
        {
            Refuse(new DeadLetterRefusedException(letter.Id, executor.RefuseReplay(letter.Id, reason), reason));
        }
    }
}
