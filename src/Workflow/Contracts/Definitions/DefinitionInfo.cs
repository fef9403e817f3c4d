namespace Workflow.Contracts.Definitions;

/// <summary>A registered definition.</summary>
/// <param name="ContentHash">SHA-256 of the canonical content, hexadecimal.</param>
public sealed record DefinitionInfo(string Name, int Version, string ContentHash, DateTimeOffset RegisteredUtc)
{
    /// <summary>Of a BPMN file: every definition that it holds, this one first. Null otherwise.</summary>
    public IReadOnlyList<DefinitionInfo>? Definitions { get; init; }
}

/// <summary>Answer of <c>POST /definitions/validate</c>.</summary>
public sealed record DefinitionValidation(bool Valid, IReadOnlyList<DefinitionProblem> Errors);

/// <summary>Something wrong in a definition.</summary>
/// <param name="Path">Where, e.g. <c>steps.route.cases[0].when</c>; of BPMN the element, e.g. <c>scriptTask 'sum'</c>.</param>
/// <param name="Message">What, with the value and the remedy.</param>
/// <param name="Column">Column in an expression, or in the line of a BPMN file, from 1.</param>
/// <param name="Line">Line of a BPMN file, from 1.</param>
/// <param name="Element">Id of the element of a BPMN file.</param>
/// <param name="Name">Name of the element of a BPMN file.</param>
public sealed record DefinitionProblem(
    string Path, string Message, int? Column, int? Line = null, string? Element = null, string? Name = null);
