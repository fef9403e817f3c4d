using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Execution;

namespace Workflow.Engine.Commands;

/// <summary>
/// Takes the place of a command that cannot be applied, and puts it aside. What the poison stood for stays where it is until this is
/// committed; its caller, where it has one, is answered then.
/// </summary>
internal sealed class DeadLetterLaneCommand(LaneCommand poison, Guid letterId, string reason, int attempts) : LaneCommand
{
    /// <summary>As much of a reason as is kept.</summary>
    public const int MaxReason = 4_000;

    public LaneCommand Poison => poison;

    public override bool IsAwaited => poison.IsAwaited;

    public override string Description => $"dead letter of the {poison.Description}";

    public override void Apply(LaneExecutor executor) => poison.PutAside(executor, letterId, Storable(reason), attempts);

    public override void Acknowledge() => poison.Acknowledge();

    public override void Fail(Exception error) => poison.Fail(error);

    /// <summary>The reason may quote anything: what no store keeps in a text is replaced.</summary>
    private static string Storable(string reason)
    {
        var text = reason.Length > MaxReason ? reason[..MaxReason] + "..." : reason;
        return string.Create(text.Length, text, static (target, source) =>
        {
            for (var i = 0; i < source.Length; i++)
            {
                var paired = char.IsHighSurrogate(source[i]) ? i + 1 < source.Length && char.IsLowSurrogate(source[i + 1])
                    : !char.IsLowSurrogate(source[i]) || (i > 0 && char.IsHighSurrogate(source[i - 1]));
                target[i] = source[i] == '\0' || !paired ? '\ufffd' : source[i];
            }
        });
    }
}

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
