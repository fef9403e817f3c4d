namespace Workflow.Contracts.Events;

/// <summary>A task waits for a person.</summary>
public sealed record TaskCreated : IntegrationEvent
{
    public override string Type => nameof(TaskCreated);
    public required Guid TaskId { get; init; }
    public required string Step { get; init; }

    /// <summary>The assignee; null for none.</summary>
    public string? Assignee { get; init; }

    public required IReadOnlyList<string> Groups { get; init; }

    /// <summary>When its time is over (UTC); null without a time-out.</summary>
    public DateTimeOffset? DueAt { get; init; }
}
