namespace Workflow.Contracts.Instances;

/// <summary>
/// Answer of <c>POST /instances/{id}/cancel</c>: the instance is cancelled, durably, with its tasks and sub-workflows.
/// </summary>
/// <param name="Duplicate">True when it was cancelled before.</param>
public sealed record InstanceCancellation(Guid Id, bool Duplicate);
