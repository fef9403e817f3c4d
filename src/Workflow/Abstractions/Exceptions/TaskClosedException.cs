using System.Globalization;
using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Exceptions;

/// <summary>The task is not open any more.</summary>
public sealed class TaskClosedException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public TaskClosedException(TaskView task)
        : base(Text(task)) => Task = task;

    /// <summary>The task as it ended.</summary>
    public TaskView Task { get; }

    /// <inheritdoc/>
    public override string Code => "task-closed";

    private static string Text(TaskView task)
    {
        ArgumentNullException.ThrowIfNull(task);
        var what = task.State switch
        {
            TaskState.Completed => "was completed",
            TaskState.TimedOut => "has timed out",
            _ => "was cancelled",
        };
        var who = task.Assignee is null ? "while nobody had it" : $"while '{task.Assignee}' had it";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"Task {task.Id} {what} at {task.UpdatedUtc.UtcDateTime:O} {who}. GET /tasks/{task.Id} shows it; to repeat a request, send it with its own Idempotency-Key.");
    }
}
