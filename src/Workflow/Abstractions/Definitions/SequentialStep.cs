namespace Workflow.Abstractions.Definitions;

/// <summary>A step that leads to one other.</summary>
public abstract record SequentialStep : StepDefinition
{
    public required string Next { get; init; }
}
