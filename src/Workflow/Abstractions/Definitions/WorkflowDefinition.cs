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

    /// <summary>Signals by correlation key that start an instance of the newest version when no wait takes them.</summary>
    public IReadOnlyList<StartSignal> StartOn { get; init; } = [];

    public required IReadOnlyDictionary<string, StepDefinition> Steps { get; init; }

    /// <summary>What a person calls it; null when nobody said.</summary>
    public string? Title { get; init; }

    public string? Documentation { get; init; }

    /// <summary>Where it came from; null when it was written by hand.</summary>
    public SourceLocation? Source { get; init; }

    /// <summary>Key-sorted, minimal JSON: equal for equal content.</summary>
    public required string CanonicalJson { get; init; }

    /// <summary>SHA-256 of <see cref="CanonicalJson"/>, lower-case hexadecimal.</summary>
    public required string ContentHash { get; init; }
}

/// <summary>A signal that starts an instance.</summary>
/// <param name="Result">The variable that takes the payload; null where its members become the first variables.</param>
public sealed record StartSignal(string Signal, string? Result);

public abstract record StepDefinition
{
    /// <summary>The step's id, its key in <c>steps</c>.</summary>
    public required string Id { get; init; }

    /// <summary>The step type as written in JSON, e.g. <c>waitSignal</c>.</summary>
    public abstract string Type { get; }

    /// <summary>What a person calls it; null when nobody said.</summary>
    public string? Title { get; init; }

    public string? Documentation { get; init; }

    /// <summary>Where it came from; null when it was written by hand.</summary>
    public SourceLocation? Source { get; init; }
}

/// <summary>The place in another document, e.g. a BPMN model, that a definition or step was made from. At least one member is
/// set.</summary>
/// <param name="Document">The file or model; null for a step of the document that the definition names.</param>
/// <param name="Element">The id of the element in the document.</param>
/// <param name="Line">The line in the document, from 1.</param>
public sealed record SourceLocation(string? Document = null, string? Element = null, int? Line = null);

/// <summary>A step that leads to one other.</summary>
public abstract record SequentialStep : StepDefinition
{
    public required string Next { get; init; }
}
