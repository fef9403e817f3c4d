using Workflow.Contracts.Tasks;

namespace Workflow.Engine.Execution;

/// <summary>Gives a task to somebody. The result is null when it is not open here: the store tells why.</summary>
internal sealed class AssignTaskLaneCommand(Guid taskId, string assignee) : LaneCommand<TaskAccepted?>
{
    public override string Description => $"assignment of task {taskId} to '{assignee}'";

    public override void Apply(LaneExecutor executor) => Succeed(executor.AssignTask(taskId, assignee));
}
