namespace Workflow.Abstractions.Exceptions;

public sealed class TaskNotFoundException(Guid id)
    : WorkflowException($"There is no task {id}. GET /tasks lists those that exist.")
{
    public Guid Id { get; } = id;
    public override string Code => "task-not-found";
}
