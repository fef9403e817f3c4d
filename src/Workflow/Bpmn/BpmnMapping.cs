namespace Workflow.Bpmn;

/// <summary>One line of a data mapping.</summary>
/// <param name="Target">The variable that is written.</param>
/// <param name="Source">An expression, or a text as it is written.</param>
internal sealed record BpmnMapping(string Target, BpmnText Source, BpmnElement Element);
