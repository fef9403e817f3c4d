namespace Workflow.Bpmn;

/// <summary>An edge from one node to another.</summary>
/// <param name="Event">The event that takes the edge, without its target; null if no event does.</param>
internal sealed record FlowEdge(
    FlowNode From, FlowNode To, EdgeKind Kind, string? When, BpmnElement Source, JsonObject? Event = null);
