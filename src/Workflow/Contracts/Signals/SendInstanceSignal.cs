namespace Workflow.Contracts.Signals;

/// <summary>Body of <c>POST /instances/{id}/signals</c>.</summary>
public sealed record SendInstanceSignal
{
    public required string Name { get; init; }
    public JsonElement? Payload { get; init; }
}
