using System.Text.Json;

namespace Workflow.Contracts.Events;

/// <summary>A task was completed, and its instance went on.</summary>
public sealed record TaskCompleted : IntegrationEvent
{
    /// <inheritdoc/>
    public override string Type => nameof(TaskCompleted);

    /// <summary>The task.</summary>
    public required Guid TaskId { get; init; }

    /// <summary>The step that waited.</summary>
    public required string Step { get; init; }

    /// <summary>Who had it; null for nobody.</summary>
    public string? Assignee { get; init; }

    /// <summary>What it was completed with.</summary>
    public JsonElement? Output { get; init; }
}
