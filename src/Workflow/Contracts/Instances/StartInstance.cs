namespace Workflow.Contracts.Instances;

/// <summary>Body of <c>POST /instances</c>.</summary>
public sealed record StartInstance
{
    public required string Definition { get; init; }

    /// <summary>Version; the newest when absent.</summary>
    public int? Version { get; init; }

    /// <summary>The first variables: a JSON object.</summary>
    public JsonElement? Input { get; init; }

    /// <summary>A key of the caller's; signals that carry it reach the instance without a hop. At most 512 characters.</summary>
    public string? CorrelationKey { get; init; }
}

/// <summary>Answer of <c>POST /instances</c>: the start is durable.</summary>
/// <param name="State">Its state when the start was committed.</param>
/// <param name="Duplicate">True when an earlier start with the same idempotency key made the instance.</param>
public sealed record InstanceStarted(Guid Id, string Definition, int Version, InstanceState State, bool Duplicate);

/// <summary>Answer of <c>POST /instances/{id}/cancel</c>: the instance is cancelled, durably, with its tasks and sub-workflows.</summary>
/// <param name="Duplicate">True when it was cancelled before.</param>
public sealed record InstanceCancellation(Guid Id, bool Duplicate);

/// <summary>Body of <c>POST /instances/{id}/retry</c>, which may be left out.</summary>
public sealed record RetryInstance
{
    /// <summary>A JSON object: each member becomes a variable before the instance goes on. The others stay as they are.</summary>
    public JsonElement? Variables { get; init; }
}

/// <summary>
/// Answer of <c>POST /instances/{id}/suspend</c>, <c>/resume</c> and <c>/retry</c>: the change is durable, with all that the instance did
/// until it came to rest.
/// </summary>
/// <param name="State">Its state then.</param>
/// <param name="Duplicate">True when nothing was changed: it was so before, or an earlier or simultaneous request has done it.</param>
public sealed record InstanceChange(Guid Id, InstanceState State, bool Duplicate);
