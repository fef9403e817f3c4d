namespace Workflow.Contracts.Tasks;

/// <summary>
/// Answer of <c>POST /tasks/{id}/assign</c> and <c>POST /tasks/{id}/complete</c>: the change is durable.
/// </summary>
/// <param name="Assignee">Who has it, or had it when it was completed.</param>
/// <param name="Duplicate">
/// True when nothing was changed: the task was assigned so already, or completed by an earlier request with the same
/// idempotency key.
/// </param>
public sealed record TaskAccepted(Guid Id, Guid InstanceId, TaskState State, string? Assignee, bool Duplicate);
