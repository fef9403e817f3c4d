namespace Workflow.Engine.DeadLetters;

/// <summary>
/// Replaces a command that cannot be applied and creates its dead letter. The work of the poison command stays in place
/// until this command is committed; then the caller of the poison command is acknowledged.
/// </summary>
internal sealed class DeadLetterLaneCommand(
    LaneCommand poison, Guid deadLetterId, string reason, int attempts) : LaneCommand
{
    public LaneCommand Poison => poison;
    public override bool IsAwaited => poison.IsAwaited;
    public override long Size => poison.Size;
    public override string Description => $"dead letter of the {poison.Description}";

    public override void Apply(LaneState lane) =>
        poison.DeadLetter(lane, deadLetterId, StoreLimits.Message(reason), attempts);
    public override void Acknowledge() => poison.Acknowledge();
    public override void Fail(Exception error) => poison.Fail(error);
}
