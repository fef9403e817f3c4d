namespace Workflow.Abstractions.Stores;

/// <summary>An instance has called another as a sub-workflow. Both are of the same partition.</summary>
/// <param name="ParentId">The instance that called.</param>
/// <param name="ChildId">The instance that was called.</param>
public sealed record ChildRow(Guid ParentId, Guid ChildId);
