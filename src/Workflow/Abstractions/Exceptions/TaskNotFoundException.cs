namespace Workflow.Abstractions.Exceptions;

/// <summary>There is no such task.</summary>
public sealed class TaskNotFoundException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public TaskNotFoundException(Guid id)
        : base($"There is no task {id}. GET /tasks lists those there are.") => Id = id;

    /// <summary>The id.</summary>
    public Guid Id { get; }

    /// <inheritdoc/>
    public override string Code => "task-not-found";
}
