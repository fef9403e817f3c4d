namespace Workflow.Contracts.Instances;

/// <summary>A page of instances, newest id last.</summary>
/// <param name="Next">The <c>after</c> of the next page; null on the last.</param>
public sealed record InstanceList(IReadOnlyList<InstanceView> Items, Guid? Next);
