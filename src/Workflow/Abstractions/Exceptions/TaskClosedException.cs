using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Exceptions;

public sealed class TaskClosedException(TaskView task) : WorkflowException(Text(task))
{
    public TaskView Task { get; } = task;

    public override string Code => "task-closed";

    private static string Text(TaskView task)
    {
        var what = task.State switch
        {
            TaskState.Completed => "was completed",
            TaskState.TimedOut => "has timed out",
            _ => "was cancelled",
        };
        var who = task.Assignee is null ? "while nobody had it" : $"while '{task.Assignee}' had it";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"Task {task.Id} {what} at {task.UpdatedUtc.UtcDateTime:O} {who}. GET /tasks/{task.Id} shows it; "
            + $"to repeat a request, send it with its own Idempotency-Key.");
    }
}
