namespace Workflow.Diagrams.Bpmn;

/// <summary>
/// Ids of XML (NCName), each once in the document: those of definition and steps wherever they can be.
/// </summary>
internal sealed class BpmnIds
{
    private readonly HashSet<string> _used = new(StringComparer.Ordinal);
    private readonly Dictionary<string, int> _copies = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _nodes = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _flows = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _boundaries = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Kind, string Name), string> _shared = [];

    public BpmnIds(PlacedDiagram diagram)
    {
        Process = Claim(diagram.Graph.Name);
        foreach (var node in diagram.Nodes)
        {
            _nodes[node.Node.Id] = Claim(node.Node.Id == DiagramNode.StartId ? "start_event" : node.Node.Id);
        }

        foreach (var edge in diagram.Edges)
        {
            var names = $"{_nodes[edge.Edge.From]}_to_{_nodes[edge.Edge.To]}";
            _flows[edge.Edge.Id] = Claim(names);
            if (edge.LeavesByBoundary)
            {
                _boundaries[edge.Edge.Id] =
                    Claim($"{_nodes[edge.Edge.From]}_{edge.Edge.Kind.ToString().ToLowerInvariant()}");
            }
        }

        Definitions = Claim("definitions");
        Picture = Claim("diagram");
        Plane = Claim("plane");
    }

    public string Definitions { get; }
    public string Process { get; }
    public string Picture { get; }
    public string Plane { get; }
    public string Node(string node) => _nodes[node];
    public string Flow(PlacedEdge edge) => _flows[edge.Edge.Id];
    public string Boundary(PlacedEdge edge) => _boundaries[edge.Edge.Id];

    /// <summary>Where the flow begins: at the boundary event, where it leaves by one.</summary>
    public string Source(PlacedEdge edge) => edge.LeavesByBoundary ? Boundary(edge) : Node(edge.Edge.From);

    /// <summary>The id of a message, signal or error, of which there is one by name.</summary>
    public string Shared(string kind, string name)
    {
        if (!_shared.TryGetValue((kind, name), out var id))
        {
            id = Claim($"{kind}_{name}");
            _shared.Add((kind, name), id);
        }

        return id;
    }

    public string Part(string of, string what) => Claim($"{of}_{what}");

    private string Claim(string wanted)
    {
        var name = string.Concat(wanted.Take(200)
            .Select(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-' ? c : '_'));
        name = name.Length > 0 && (char.IsAsciiLetter(name[0]) || name[0] == '_') ? name : $"_{name}";
        var id = name;
        while (!_used.Add(id))
        {
            // Thousands of cases may lead to one step: the next number is kept, and only the number grows.
            _copies[name] = _copies.GetValueOrDefault(name, 1) + 1;
            id = string.Create(CultureInfo.InvariantCulture, $"{name}_{_copies[name]}");
        }

        return id;
    }
}
