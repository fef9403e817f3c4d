using System.Text.Json;

namespace Workflow.Contracts.Signals;

/// <summary>Body of <c>POST /instances/{id}/signals</c>.</summary>
public sealed record SendInstanceSignal
{
    /// <summary>Signal name.</summary>
    public required string Name { get; init; }

    /// <summary>Payload.</summary>
    public JsonElement? Payload { get; init; }
}
