using System.Text.Json;

namespace Workflow.Contracts.Events;

/// <summary>A <c>raise</c> step was executed.</summary>
public sealed record EventRaised : IntegrationEvent
{
    /// <inheritdoc/>
    public override string Type => Name;

    /// <summary>The event type that the definition names.</summary>
    public required string Name { get; init; }

    /// <summary>The payload that the definition gives.</summary>
    public JsonElement? Payload { get; init; }
}
