using Workflow.Abstractions.Stores;

namespace Workflow.Engine.Execution;

/// <summary>A message from a partition of another lane. After a reload the snapshot's copy stands for every other.</summary>
internal sealed class MessageLaneCommand(MessageRow message, bool fromSnapshot) : LaneCommand
{
    public override Guid SubjectId => message.Id;

    public override string Description => $"message '{message.Kind}' {message.Id}";

    public override bool CanBePutAside => true;

    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts) => executor.PutMessageAside(message, letterId, reason, attempts);

    public override void Apply(LaneExecutor executor)
    {
        if (executor.IsToBeHandled(message.Id, fromSnapshot))
        {
            executor.Handle(message);
        }
    }
}
