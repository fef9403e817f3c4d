using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Stores;

/// <summary>What becomes of a stored task, which must be open.</summary>
/// <param name="Id">The task.</param>
/// <param name="State">Its state from now on: open where it is only assigned.</param>
/// <param name="Assignee">Who has it, or had it when it ended; null for nobody.</param>
/// <param name="Output">What it was completed with, as JSON; null otherwise.</param>
/// <param name="UpdatedUtc">When (UTC).</param>
public sealed record TaskChange(Guid Id, TaskState State, string? Assignee, string? Output, DateTimeOffset UpdatedUtc);
