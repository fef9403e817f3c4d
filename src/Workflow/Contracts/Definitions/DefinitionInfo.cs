namespace Workflow.Contracts.Definitions;

/// <param name="ContentHash">SHA-256 of the canonical content, hexadecimal.</param>
public sealed record DefinitionInfo(string Name, int Version, string ContentHash, DateTimeOffset RegisteredUtc)
{
    /// <summary>For a BPMN file, all definitions in it, this one first. Null otherwise.</summary>
    public IReadOnlyList<DefinitionInfo>? Definitions { get; init; }

    /// <summary>
    /// Problems that do not prevent the registration: calls of definitions that are not registered, which fail until
    /// they are, and BPMN tasks and scripts that do nothing. For a BPMN file, the warnings of all its definitions; each
    /// definition also has its own. Null if there are none, and in lists.
    /// </summary>
    public IReadOnlyList<DefinitionProblem>? Warnings { get; init; }

    /// <summary>
    /// For a BPMN file that was imported with <c>unknown=report</c>, the content without an effect because the importer
    /// does not know it, at most 1,000; a warning counts the rest. Null if there is none, and in lists.
    /// </summary>
    public IReadOnlyList<PassedOver>? PassedOver { get; init; }
}
