namespace Workflow.Abstractions.Stores;

/// <summary>An instance has called another as a sub-workflow. Both are of the same partition.</summary>
public sealed record ChildRow(Guid ParentId, Guid ChildId);
