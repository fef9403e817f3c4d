namespace Workflow.Contracts.Events;

/// <summary>A <c>raise</c> step was executed.</summary>
public sealed record EventRaised : IntegrationEvent
{
    public override string Type => Name;

    /// <summary>The event type that the definition names.</summary>
    public required string Name { get; init; }

    public JsonElement? Payload { get; init; }
}
