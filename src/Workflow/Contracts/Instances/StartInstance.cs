namespace Workflow.Contracts.Instances;

/// <summary>Body of <c>POST /instances</c>.</summary>
public sealed record StartInstance
{
    public required string Definition { get; init; }

    /// <summary>Version; the newest when absent.</summary>
    public int? Version { get; init; }

    /// <summary>The first variables: a JSON object.</summary>
    public JsonElement? Input { get; init; }

    /// <summary>
    /// A key of the caller's; signals that carry it reach the instance without a hop. At most 512 characters.
    /// </summary>
    public string? CorrelationKey { get; init; }
}
