using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Raises an integration event.</summary>
public sealed record RaiseStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "raise";

    /// <summary>Event type.</summary>
    public required string Event { get; init; }

    /// <summary>Payload.</summary>
    public Template? Payload { get; init; }

    /// <summary>The step that follows.</summary>
    public required string Next { get; init; }
}
