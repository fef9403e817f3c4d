namespace Workflow.Contracts.Definitions;

/// <summary>An error in a definition, or a warning.</summary>
/// <param name="Path">
/// The location, e.g. <c>steps.route.cases[0].when</c>; in a BPMN file the element, e.g. <c>scriptTask 'sum'</c>.
/// </param>
/// <param name="Message">The problem, with the present value and the remedy.</param>
/// <param name="Column">The column in an expression, or in the line of a BPMN file, from 1.</param>
/// <param name="Line">The line of a BPMN file, from 1.</param>
/// <param name="Element">The id of the element of a BPMN file.</param>
/// <param name="Name">The name of the element of a BPMN file.</param>
public sealed record DefinitionProblem(
    string Path, string Message, int? Column, int? Line = null, string? Element = null, string? Name = null);
