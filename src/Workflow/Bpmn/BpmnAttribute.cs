namespace Workflow.Bpmn;

/// <summary>An attribute with the place of its value.</summary>
internal sealed record BpmnAttribute(string Namespace, string Name, string Value, int Line, int Column);
