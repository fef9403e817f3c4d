namespace Workflow.Contracts.Tasks;

/// <summary>Body of <c>POST /tasks/{id}/assign</c>.</summary>
public sealed record AssignTask
{
    /// <summary>Who is to have it: 1 to 256 characters.</summary>
    public required string Assignee { get; init; }
}
