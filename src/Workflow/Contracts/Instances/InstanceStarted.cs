namespace Workflow.Contracts.Instances;

/// <summary>Answer of <c>POST /instances</c>: the start is durable.</summary>
/// <param name="Version">That of the instance.</param>
/// <param name="State">Its committed state when the start is answered: of a duplicate, its present one.</param>
/// <param name="Duplicate">True when an earlier start with the same idempotency key made the instance.</param>
public sealed record InstanceStarted(Guid Id, string Definition, int Version, InstanceState State, bool Duplicate);
