namespace Workflow.Bpmn;

/// <summary>A way from one node to another.</summary>
/// <param name="Event">The event that leads there, without its target.</param>
internal sealed record FlowEdge(
    FlowNode From, FlowNode To, EdgeKind Kind, string? When, BpmnElement Source, JsonObject? Event = null);
