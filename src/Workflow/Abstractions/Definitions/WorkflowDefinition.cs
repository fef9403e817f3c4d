using System.Collections.Frozen;

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

    /// <summary>
    /// Signals by correlation key that start an instance of the newest version when no wait takes them.
    /// </summary>
    public IReadOnlyList<StartSignal> StartOn { get; init; } = [];

    public required IReadOnlyDictionary<string, StepDefinition> Steps { get; init; }

    /// <summary>
    /// Steps that handle an error: only an <c>onError</c> leads to them, or they lead to nothing but steps of type
    /// <c>fail</c>. An instance that fails behind them goes on at the step that had the error when it is retried.
    /// </summary>
    public IReadOnlySet<string> ErrorSteps { get; init; } = FrozenSet<string>.Empty;

    /// <summary>
    /// The innermost fork or sub-process around each step; a step outside of every fork and sub-process is absent. A
    /// step of type <c>end</c> or <c>fail</c> that several forks share has the first of them.
    /// </summary>
    public IReadOnlyDictionary<string, string> Surroundings { get; init; } = FrozenDictionary<string, string>.Empty;

    /// <summary>The title for people; null if none is given.</summary>
    public string? Title { get; init; }

    public string? Documentation { get; init; }

    /// <summary>The source document; null if the definition was written by hand.</summary>
    public SourceLocation? Source { get; init; }

    /// <summary>The layout of the BPMN model it was made from; null if there is none.</summary>
    public DefinitionLayout? Layout { get; init; }

    /// <summary>Key-sorted, minimal JSON without the layout: equal for equal content.</summary>
    public required string CanonicalJson { get; init; }

    /// <summary>
    /// <see cref="CanonicalJson"/> with the layout: what stores keep and the engine returns. Without a layout the same.
    /// </summary>
    public required string Json { get; init; }

    /// <summary>SHA-256 of <see cref="CanonicalJson"/>, lower-case hexadecimal.</summary>
    public required string ContentHash { get; init; }
}
