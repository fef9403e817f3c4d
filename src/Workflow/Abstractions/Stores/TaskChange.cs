using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Stores;

/// <summary>What becomes of a stored task, which must be open.</summary>
/// <param name="State">Its state from now on: open where it is only assigned.</param>
/// <param name="Assignee">The assignee, or the last one if the task has ended; null for none.</param>
/// <param name="Output">What it was completed with, as JSON; null otherwise.</param>
public sealed record TaskChange(Guid Id, TaskState State, string? Assignee, string? Output, DateTimeOffset UpdatedUtc)
    : ITaskWrite;
