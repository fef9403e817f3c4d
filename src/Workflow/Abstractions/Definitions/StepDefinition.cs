namespace Workflow.Abstractions.Definitions;

public abstract record StepDefinition
{
    /// <summary>The step's id, its key in <c>steps</c>.</summary>
    public required string Id { get; init; }

    /// <summary>The step type as written in JSON, e.g. <c>waitSignal</c>.</summary>
    public abstract string Type { get; }

    /// <summary>The title for people; null if none is given.</summary>
    public string? Title { get; init; }

    public string? Documentation { get; init; }

    /// <summary>The source document; null if the step was written by hand.</summary>
    public SourceLocation? Source { get; init; }
}
