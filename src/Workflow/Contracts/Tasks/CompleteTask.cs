namespace Workflow.Contracts.Tasks;

/// <summary>Body of <c>POST /tasks/{id}/assign</c>.</summary>
public sealed record AssignTask
{
    /// <summary>Who is to have it: 1 to 256 characters.</summary>
    public required string Assignee { get; init; }
}

/// <summary>Body of <c>POST /tasks/{id}/complete</c>.</summary>
public sealed record CompleteTask
{
    /// <summary>What came of it; any JSON. The step's <c>result</c> takes it.</summary>
    public JsonElement? Output { get; init; }
}

/// <summary>Answer of <c>POST /tasks/{id}/assign</c> and <c>POST /tasks/{id}/complete</c>: the change is durable.</summary>
/// <param name="Assignee">Who has it, or had it when it was completed.</param>
/// <param name="Duplicate">True when nothing was changed: the task was assigned so already, or completed by an earlier request with the
/// same idempotency key.</param>
public sealed record TaskAccepted(Guid Id, Guid InstanceId, TaskState State, string? Assignee, bool Duplicate);
