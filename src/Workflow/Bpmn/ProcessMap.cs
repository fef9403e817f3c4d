namespace Workflow.Bpmn;

/// <summary>What is read of a process: its graph, and where its elements and flows are.</summary>
internal sealed class ProcessMap(IReadOnlyList<BpmnElement> flows)
{
    public FlowGraph Graph { get; } = new();

    /// <summary>Where flows lead into each element, and where they leave it.</summary>
    public Dictionary<string, (FlowNode Entry, FlowNode Exit)> Places { get; } = new(StringComparer.Ordinal);

    public ILookup<string, BpmnElement> Outgoing { get; } = By(flows, "sourceRef");
    public ILookup<string, BpmnElement> Incoming { get; } = By(flows, "targetRef");

    /// <summary>A step of its own, in which the tokens of a sub-process run.</summary>
    public FlowNode AddScope(string wanted, BpmnElement source, FlowArea area)
    {
        var host = Graph.Add(wanted, NodeKind.Sequence, source, area);
        host.Steps.Add(new JsonObject { ["type"] = "subProcess" });
        return host;
    }

    private static ILookup<string, BpmnElement> By(IReadOnlyList<BpmnElement> flows, string end) =>
        flows.ToLookup(flow => flow.Attribute(end) ?? "", StringComparer.Ordinal);
}
