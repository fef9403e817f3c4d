namespace Workflow.Contracts.Instances;

/// <summary>Answer of <c>POST /instances</c>: the start is durable.</summary>
/// <param name="Id">The instance.</param>
/// <param name="Definition">Its definition's name.</param>
/// <param name="Version">Its definition's version.</param>
/// <param name="State">Its state when the start was committed.</param>
/// <param name="Duplicate">True when an earlier start with the same idempotency key made the instance.</param>
public sealed record InstanceStarted(Guid Id, string Definition, int Version, InstanceState State, bool Duplicate);
