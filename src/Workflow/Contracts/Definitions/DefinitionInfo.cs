namespace Workflow.Contracts.Definitions;

/// <summary>A registered definition.</summary>
/// <param name="ContentHash">SHA-256 of the canonical content, hexadecimal.</param>
public sealed record DefinitionInfo(string Name, int Version, string ContentHash, DateTimeOffset RegisteredUtc);

/// <summary>Answer of <c>POST /definitions/validate</c>.</summary>
public sealed record DefinitionValidation(bool Valid, IReadOnlyList<DefinitionProblem> Errors);

/// <summary>Something wrong in a definition.</summary>
/// <param name="Path">Where, e.g. <c>steps.route.cases[0].when</c>.</param>
/// <param name="Message">What, with the value and the remedy.</param>
/// <param name="Column">Column in an expression, from 1.</param>
public sealed record DefinitionProblem(string Path, string Message, int? Column);
