namespace Workflow.Contracts.Instances;

/// <summary>
/// Answer of <c>POST /instances/{id}/suspend</c>, <c>/resume</c> and <c>/retry</c>: the change is durable, with all
/// that the instance did until it came to rest.
/// </summary>
/// <param name="State">Its state then.</param>
/// <param name="Duplicate">
/// True when nothing was changed: it was so before, or an earlier or simultaneous request has done it.
/// </param>
public sealed record InstanceChange(Guid Id, InstanceState State, bool Duplicate);
