namespace Workflow.Contracts.Events;

/// <summary>A failed instance goes on where it stopped; it may fail once more.</summary>
public sealed record InstanceRetried : IntegrationEvent
{
    public override string Type => nameof(InstanceRetried);

    /// <summary>The step that had failed.</summary>
    public string? Step { get; init; }
}
