namespace Workflow.Contracts.Events;

/// <summary>A task was completed, and its instance went on.</summary>
public sealed record TaskCompleted : IntegrationEvent
{
    public override string Type => nameof(TaskCompleted);
    public required Guid TaskId { get; init; }
    public required string Step { get; init; }
    public string? Assignee { get; init; }

    /// <summary>What it was completed with.</summary>
    public JsonElement? Output { get; init; }
}
