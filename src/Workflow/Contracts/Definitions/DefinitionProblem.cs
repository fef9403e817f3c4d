namespace Workflow.Contracts.Definitions;

/// <summary>Something wrong in a definition, or, among warnings, something that may be.</summary>
/// <param name="Path">
/// Where, e.g. <c>steps.route.cases[0].when</c>; of BPMN the element, e.g. <c>scriptTask 'sum'</c>.
/// </param>
/// <param name="Message">What, with the value and the remedy.</param>
/// <param name="Column">Column in an expression, or in the line of a BPMN file, from 1.</param>
/// <param name="Line">Line of a BPMN file, from 1.</param>
/// <param name="Element">Id of the element of a BPMN file.</param>
/// <param name="Name">Name of the element of a BPMN file.</param>
public sealed record DefinitionProblem(
    string Path, string Message, int? Column, int? Line = null, string? Element = null, string? Name = null);
