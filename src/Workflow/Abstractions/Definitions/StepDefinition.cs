namespace Workflow.Abstractions.Definitions;

/// <summary>A step of a definition.</summary>
public abstract record StepDefinition
{
    /// <summary>The step's id, its key in <c>steps</c>.</summary>
    public required string Id { get; init; }

    /// <summary>The step type as written in JSON, e.g. <c>waitSignal</c>.</summary>
    public abstract string Type { get; }
}
