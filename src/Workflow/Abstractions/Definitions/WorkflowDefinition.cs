namespace Workflow.Abstractions.Definitions;

/// <summary>A definition that was parsed, checked and compiled. Immutable.</summary>
public sealed record WorkflowDefinition
{
    /// <summary>Name, 1 to 128 of letters, digits, dot, underscore and hyphen.</summary>
    public required string Name { get; init; }

    /// <summary>Version, 1 or more. Running instances keep theirs.</summary>
    public required int Version { get; init; }

    /// <summary>The step at which an instance begins.</summary>
    public required string Start { get; init; }

    public required IReadOnlyDictionary<string, StepDefinition> Steps { get; init; }

    /// <summary>Key-sorted, minimal JSON: equal for equal content.</summary>
    public required string CanonicalJson { get; init; }

    /// <summary>SHA-256 of <see cref="CanonicalJson"/>, lower-case hexadecimal.</summary>
    public required string ContentHash { get; init; }
}

public abstract record StepDefinition
{
    /// <summary>The step's id, its key in <c>steps</c>.</summary>
    public required string Id { get; init; }

    /// <summary>The step type as written in JSON, e.g. <c>waitSignal</c>.</summary>
    public abstract string Type { get; }
}

/// <summary>A step that leads to one other.</summary>
public abstract record SequentialStep : StepDefinition
{
    public required string Next { get; init; }
}
