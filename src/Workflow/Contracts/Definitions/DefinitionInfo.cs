namespace Workflow.Contracts.Definitions;

/// <param name="ContentHash">SHA-256 of the canonical content, hexadecimal.</param>
public sealed record DefinitionInfo(string Name, int Version, string ContentHash, DateTimeOffset RegisteredUtc)
{
    /// <summary>Of a BPMN file: every definition that it holds, this one first. Null otherwise.</summary>
    public IReadOnlyList<DefinitionInfo>? Definitions { get; init; }

    /// <summary>
    /// What the registration does not refuse and its author should know: calls of definitions that are not registered,
    /// which fail until they are, and tasks and scripts of BPMN that do nothing. Of a BPMN file those of all its
    /// definitions, here and with each. Null for none, and in lists.
    /// </summary>
    public IReadOnlyList<DefinitionProblem>? Warnings { get; init; }

    /// <summary>
    /// Of a BPMN file that was imported with <c>unknown=report</c>: what has no effect because nothing here knows it,
    /// at most 1,000; a warning counts the others. Null for none, and in lists.
    /// </summary>
    public IReadOnlyList<PassedOver>? PassedOver { get; init; }
}
