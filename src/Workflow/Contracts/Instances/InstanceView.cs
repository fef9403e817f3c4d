using System.Text.Json;

namespace Workflow.Contracts.Instances;

/// <summary>An instance as committed.</summary>
public sealed record InstanceView
{
    /// <summary>Id.</summary>
    public required Guid Id { get; init; }

    /// <summary>Name of the definition.</summary>
    public required string Definition { get; init; }

    /// <summary>Version of the definition.</summary>
    public required int Version { get; init; }

    /// <summary>The key it was started with.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>The instance that called it as a sub-workflow; null for one that was started from outside.</summary>
    public Guid? ParentId { get; init; }

    /// <summary>Sub-workflows it has called, oldest first, at most 1,000; null in lists, and where it has called none.</summary>
    public IReadOnlyList<Guid>? Children { get; init; }

    /// <summary>State.</summary>
    public required InstanceState State { get; init; }

    /// <summary>Variables.</summary>
    public required JsonElement Variables { get; init; }

    /// <summary>What it waits for now.</summary>
    public required IReadOnlyList<InstanceWait> Waits { get; init; }

    /// <summary>Output; null until completed.</summary>
    public JsonElement? Output { get; init; }

    /// <summary>The incident; null unless failed.</summary>
    public InstanceError? Error { get; init; }

    /// <summary>When it was started (UTC).</summary>
    public required DateTimeOffset CreatedUtc { get; init; }

    /// <summary>When it last changed (UTC).</summary>
    public required DateTimeOffset UpdatedUtc { get; init; }
}
