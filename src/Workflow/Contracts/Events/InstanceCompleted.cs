using System.Text.Json;

namespace Workflow.Contracts.Events;

/// <summary>An instance reached its end.</summary>
public sealed record InstanceCompleted : IntegrationEvent
{
    /// <inheritdoc/>
    public override string Type => nameof(InstanceCompleted);

    /// <summary>Output of the end step.</summary>
    public JsonElement? Output { get; init; }
}
