using Workflow.Abstractions;

namespace Workflow.Bpmn;

/// <summary>The graph of a process while it is read.</summary>
internal sealed class FlowGraph
{
    private readonly HashSet<string> _keys = new(StringComparer.Ordinal);
    private readonly HashSet<string> _reserved = new(StringComparer.Ordinal);

    public List<FlowNode> Nodes { get; } = [];
    public FlowNode? Start { get; set; }

    /// <summary>The signals that start the process, and their start events; none where only a request does.</summary>
    public List<(JsonObject Signal, BpmnElement Source)> StartSignals { get; } = [];

    /// <summary>A node whose steps have ids that no other has.</summary>
    public FlowNode Add(string wanted, NodeKind kind, BpmnElement source, FlowArea area)
    {
        var key = ExportedStep.IdOf(source) == wanted && _reserved.Remove(wanted) && _keys.Add(wanted)
            ? wanted
            : Claim(wanted);
        var node = new FlowNode(key, kind, source, area);
        Nodes.Add(node);
        return node;
    }

    /// <summary>Keeps the id of a step for the element that was exported from it.</summary>
    public void Reserve(string id)
    {
        if (id.Length <= StoreLimits.MaxName && id.All(IsOfId))
        {
            _reserved.Add(id);
        }
    }

    public static void Connect(
        FlowNode from, FlowNode to, EdgeKind kind, BpmnElement source, string? when = null, JsonObject? occurs = null)
    {
        var edge = new FlowEdge(from, to, kind, when, source, occurs);
        from.Out.Add(edge);
        to.In.Add(edge);
    }

    public static void Disconnect(FlowEdge edge)
    {
        edge.From.Out.Remove(edge);
        edge.To.In.Remove(edge);
    }

    /// <summary>The same way from another node.</summary>
    public static void Move(FlowEdge edge, FlowNode from)
    {
        Disconnect(edge);
        Connect(from, edge.To, edge.Kind, edge.Source, edge.When);
    }

    /// <summary>
    /// An id of a step: of letters, digits, dot, underscore and hyphen, with room for what is appended.
    /// </summary>
    public string Claim(string wanted)
    {
        var key = string.Concat(wanted.Take(110).Select(c => IsOfId(c) ? c : '_'));
        key = key.Length == 0 ? "step" : key;
        while (_reserved.Contains(key) || !_keys.Add(key))
        {
            key += "_";
        }

        return key;
    }

    private static bool IsOfId(char c) => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-';
}
