using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Stores;

/// <summary>A change of a stored task, which must be open.</summary>
/// <param name="State">The new state; open if the task is only assigned.</param>
/// <param name="Assignee">The assignee, or the last one if the task has ended; null for none.</param>
/// <param name="Output">The output of a completed task, as JSON; null otherwise.</param>
public sealed record TaskChange(Guid Id, TaskState State, string? Assignee, string? Output, DateTimeOffset UpdatedUtc)
    : ITaskWrite;
