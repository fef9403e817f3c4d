using Workflow.Abstractions.Stores;

namespace Workflow.Engine.Execution;

/// <summary>A message from a partition of another lane. After a reload the snapshot's copy stands for every other.</summary>
internal sealed class MessageLaneCommand(MessageRow message, bool fromSnapshot) : LaneCommand
{
    public Guid MessageId => message.Id;

    public override string Description => $"message '{message.Kind}' {message.Id}";

    public override void Apply(LaneExecutor executor)
    {
        if (executor.IsToBeHandled(message.Id, fromSnapshot))
        {
            executor.Handle(message);
        }
    }
}
