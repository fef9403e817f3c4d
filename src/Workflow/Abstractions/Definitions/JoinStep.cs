namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for every branch of its fork.</summary>
public sealed record JoinStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "join";

    /// <summary>The step that follows.</summary>
    public required string Next { get; init; }
}
