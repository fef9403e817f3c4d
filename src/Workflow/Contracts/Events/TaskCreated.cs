namespace Workflow.Contracts.Events;

/// <summary>A task waits for a person.</summary>
public sealed record TaskCreated : IntegrationEvent
{
    /// <inheritdoc/>
    public override string Type => nameof(TaskCreated);

    /// <summary>The task.</summary>
    public required Guid TaskId { get; init; }

    /// <summary>The step that waits.</summary>
    public required string Step { get; init; }

    /// <summary>Who has it; null for nobody.</summary>
    public string? Assignee { get; init; }

    /// <summary>Groups that may take it.</summary>
    public required IReadOnlyList<string> Groups { get; init; }

    /// <summary>When its time is over (UTC); null without a time-out.</summary>
    public DateTimeOffset? DueAt { get; init; }
}
