namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>What a definition is checked against besides itself.</summary>
public sealed record DefinitionRules
{
    /// <summary>Known activities; null does not check them.</summary>
    public IReadOnlySet<string>? Activities { get; init; }

    /// <summary>Event types that a <c>raise</c> step may not use, because the engine itself raises them.</summary>
    public IReadOnlySet<string> ReservedEvents { get; init; } = new HashSet<string>();
}
