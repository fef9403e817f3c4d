namespace Workflow.Contracts.Tasks;

/// <summary>A task as committed.</summary>
public sealed record TaskView
{
    public required Guid Id { get; init; }

    /// <summary>The instance that waits for the task.</summary>
    public required Guid InstanceId { get; init; }

    public required string Definition { get; init; }
    public required int DefinitionVersion { get; init; }
    public string? CorrelationKey { get; init; }
    public required string Step { get; init; }
    public required TaskState State { get; init; }

    /// <summary>The assignee, or the last one if the task has ended; null for none.</summary>
    public string? Assignee { get; init; }

    public required IReadOnlyList<string> Groups { get; init; }

    /// <summary>The output that the task was completed with.</summary>
    public JsonElement? Output { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }

    /// <summary>When the task last changed (UTC); for an ended task, when it ended.</summary>
    public required DateTimeOffset UpdatedUtc { get; init; }

    /// <summary>When the task times out (UTC); null without a time-out.</summary>
    public DateTimeOffset? DueAt { get; init; }
}
