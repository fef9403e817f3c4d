namespace Workflow.Bpmn;

/// <summary>A node of the process: an element of the file, or a node that the importer adds between elements.</summary>
internal sealed class FlowNode(string key, NodeKind kind, BpmnElement source, FlowArea area)
{
    /// <summary>The id of the first step of the node.</summary>
    public string Key => key;

    public NodeKind Kind { get; set; } = kind;
    public BpmnElement Source => source;
    public FlowArea Area => area;

    /// <summary>The steps of the node, in order; empty if the node only leads to the next one.</summary>
    public List<JsonObject> Steps { get; } = [];

    public List<FlowEdge> Out { get; } = [];
    public List<FlowEdge> In { get; } = [];

    /// <summary>For a fork, the join of all its branches; null if each branch ends separately.</summary>
    public FlowNode? Partner { get; set; }

    /// <summary>For an exported fork, the id of the step that is its join.</summary>
    public string? WantedPartner { get; set; }

    /// <summary>A warning for the author about the imported node; null if there is none.</summary>
    public string? Remark { get; private set; }

    /// <summary>Whether the tokens of the node run in branches.</summary>
    public bool Splits => Kind is NodeKind.Fork or NodeKind.Inclusive;

    /// <summary>Makes the node a step that does nothing.</summary>
    /// <param name="remark">The warning for the author.</param>
    public void DoNothing(string remark)
    {
        Steps.Add(new JsonObject { ["type"] = "set", ["values"] = new JsonObject() });
        Remark = remark;
    }
}
