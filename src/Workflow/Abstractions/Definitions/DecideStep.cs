namespace Workflow.Abstractions.Definitions;

/// <summary>Takes the first case that is true.</summary>
public sealed record DecideStep : StepDefinition
{
    public override string Type => "decide";
    public required IReadOnlyList<DecideCase> Cases { get; init; }

    /// <summary>The step when no case is true.</summary>
    public required string Otherwise { get; init; }
}
