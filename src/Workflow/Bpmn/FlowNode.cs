namespace Workflow.Bpmn;

/// <summary>A place of the process: an element of the file, or what it needs in between.</summary>
internal sealed class FlowNode(string key, NodeKind kind, BpmnElement source, FlowArea area)
{
    /// <summary>The id of its first step.</summary>
    public string Key => key;

    public NodeKind Kind { get; set; } = kind;
    public BpmnElement Source => source;
    public FlowArea Area => area;

    /// <summary>Its steps, one after the other; none where it only leads on.</summary>
    public List<JsonObject> Steps { get; } = [];

    public List<FlowEdge> Out { get; } = [];
    public List<FlowEdge> In { get; } = [];

    /// <summary>Of a fork: the join that waits for all its branches; null where each of them ends by itself.</summary>
    public FlowNode? Partner { get; set; }

    /// <summary>Of an exported fork: the id of the step that is its join.</summary>
    public string? WantedPartner { get; set; }

    /// <summary>What its author should know of it, though it is imported; null for nothing.</summary>
    public string? Remark { get; private set; }

    /// <summary>Whether its tokens run in branches.</summary>
    public bool Splits => Kind is NodeKind.Fork or NodeKind.Inclusive;

    /// <summary>Makes it a step that does nothing.</summary>
    /// <param name="remark">What its author should know of that.</param>
    public void DoNothing(string remark)
    {
        Steps.Add(new JsonObject { ["type"] = "set", ["values"] = new JsonObject() });
        Remark = remark;
    }
}
