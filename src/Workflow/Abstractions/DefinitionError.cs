namespace Workflow.Abstractions;

/// <summary>Something wrong in a definition.</summary>
/// <param name="Path">Where, e.g. <c>steps.route.cases[0].when</c>.</param>
/// <param name="Column">Column in an expression, from 1; null elsewhere.</param>
public sealed record DefinitionError(string Path, string Message, int? Column = null);
