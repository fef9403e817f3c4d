namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for the first of several signals and times; the others are withdrawn.</summary>
public sealed record WaitFirstStep : StepDefinition
{
    public override string Type => "waitFirst";

    /// <summary>1 to 32. Of signals that are there already the first in this order is taken.</summary>
    public required IReadOnlyList<StepEvent> Events { get; init; }
}
