namespace Workflow.Contracts.Events;

/// <summary>An instance reached its end.</summary>
public sealed record InstanceCompleted : IntegrationEvent
{
    public override string Type => nameof(InstanceCompleted);

    public JsonElement? Output { get; init; }
}
