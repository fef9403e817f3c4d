using System.Xml;
using Workflow.Abstractions.Definitions;

namespace Workflow.Diagrams.Bpmn;

/// <summary>
/// Writes a definition as BPMN 2.0 XML with its layout (BPMN DI), for editors of BPMN. A timeout or an error is a boundary event. Each
/// element carries its canonical step, so that nothing is lost; the process is not executable, since other engines would run it otherwise.
/// </summary>
public static class BpmnRenderer
{
    /// <summary>The namespace of the canonical steps inside the elements.</summary>
    public const string StepNamespace = "urn:workflow:definition";

    public static string Render(WorkflowDefinition definition, PlacedDiagram diagram, DiagramOverlay? overlay = null)
    {
        using var canonical = JsonDocument.Parse(definition.CanonicalJson);
        var model = new BpmnModel(definition, diagram, canonical.RootElement);
        using var stream = new MemoryStream();
        var settings = new XmlWriterSettings { Encoding = new UTF8Encoding(false), Indent = true, NewLineChars = "\n" };
        using (var xml = XmlWriter.Create(stream, settings))
        {
            xml.WriteStartElement("bpmn", "definitions", BpmnXml.Model);
            xml.WriteAttributeString("xmlns", "bpmndi", null, BpmnXml.Diagram);
            xml.WriteAttributeString("xmlns", "dc", null, BpmnXml.Coordinates);
            xml.WriteAttributeString("xmlns", "di", null, BpmnXml.Interchange);
            xml.WriteAttributeString("xmlns", "xsi", null, BpmnXml.Instance);
            xml.WriteAttributeString("xmlns", "workflow", null, StepNamespace);
            xml.WriteAttributeString("xmlns", "color", null, BpmnXml.Color);
            xml.WriteAttributeString("id", model.Ids.Definitions);
            xml.WriteAttributeString("targetNamespace", StepNamespace);
            new BpmnProcess(xml, model).Write();
            new BpmnPicture(xml, model, overlay).Write();
            xml.WriteEndElement();
        }

        return Encoding.UTF8.GetString(stream.ToArray()) + "\n";
    }
}

internal static class BpmnXml
{
    public const string Model = "http://www.omg.org/spec/BPMN/20100524/MODEL";
    public const string Diagram = "http://www.omg.org/spec/BPMN/20100524/DI";
    public const string Coordinates = "http://www.omg.org/spec/DD/20100524/DC";
    public const string Interchange = "http://www.omg.org/spec/DD/20100524/DI";
    public const string Instance = "http://www.w3.org/2001/XMLSchema-instance";
    public const string Color = "http://www.omg.org/spec/BPMN/non-normative/color/1.0";
}

/// <summary>A definition with its layout, and the ids of its elements.</summary>
internal sealed class BpmnModel(WorkflowDefinition definition, PlacedDiagram diagram, JsonElement canonical)
{
    public WorkflowDefinition Definition => definition;
    public PlacedDiagram Diagram => diagram;
    public BpmnIds Ids { get; } = new(diagram);

    /// <summary>The nodes directly inside of a sub-process, or outside of all under ""; and the flows between them.</summary>
    public (ILookup<string, DiagramNode> Nodes, ILookup<string, DiagramEdge> Edges) Levels { get; } = diagram.Graph.Levels();

    public Dictionary<string, PlacedEdge> Edges { get; } = diagram.Edges.ToDictionary(edge => edge.Edge.Id, StringComparer.Ordinal);
    public ILookup<string, PlacedEdge> Out { get; } = diagram.Edges.ToLookup(edge => edge.Edge.From, StringComparer.Ordinal);
    public ILookup<string, PlacedEdge> In { get; } = diagram.Edges.ToLookup(edge => edge.Edge.To, StringComparer.Ordinal);
    public JsonElement Canonical => canonical;

    /// <summary>The cases, by the ids of the edges that are taken on them.</summary>
    public Dictionary<string, DecideCase> Cases { get; } = Along(
        diagram, EdgeKind.Case, EdgeKind.Case, step => GraphBuilder.CasesOf(definition.Steps[step])!.Value.Cases);

    /// <summary>What is waited for, by the ids of the edges that lead to it or, at a boundary, leave by it.</summary>
    public Dictionary<string, JsonElement> Events { get; } = Along(
            diagram, EdgeKind.Event, EdgeKind.Event, step => JsonOf(canonical, step).GetProperty("events").EnumerateArray())
        .Concat(Along(
            diagram, EdgeKind.BoundaryTimer, EdgeKind.SideSignal, step => JsonOf(canonical, step).GetProperty("boundary").EnumerateArray()))
        .ToDictionary(StringComparer.Ordinal);

    /// <summary>The joins of branches that an inclusive step has chosen.</summary>
    public HashSet<string> InclusiveJoins { get; } =
        [.. definition.Steps.Values.OfType<InclusiveStep>().Select(inclusive => inclusive.Join)];

    public JsonElement StepJson(string step) => JsonOf(canonical, step);

    private static JsonElement JsonOf(JsonElement canonical, string step) => canonical.GetProperty("steps").GetProperty(step);

    // The edges of a step stand in the order of the list that they come from.
    private static Dictionary<string, T> Along<T>(
        PlacedDiagram diagram, EdgeKind first, EdgeKind last, Func<string, IEnumerable<T>> listOf) => diagram.Graph.Edges
        .Where(edge => edge.Kind >= first && edge.Kind <= last).GroupBy(edge => edge.From, StringComparer.Ordinal)
        .SelectMany(edges => edges.Zip(listOf(edges.Key), (edge, one) => KeyValuePair.Create(edge.Id, one)))
        .ToDictionary(StringComparer.Ordinal);
}

/// <summary>Ids of XML (NCName), each once in the document: those of definition and steps wherever they can be.</summary>
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
                _boundaries[edge.Edge.Id] = Claim($"{_nodes[edge.Edge.From]}_{edge.Edge.Kind.ToString().ToLowerInvariant()}");
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
        var name = string.Concat(wanted.Take(200).Select(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-' ? c : '_'));
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

/// <summary>The picture: a shape for every node, an edge for every flow.</summary>
internal sealed class BpmnPicture(XmlWriter xml, BpmnModel model, DiagramOverlay? overlay)
{
    public void Write()
    {
        Start("BPMNDiagram");
        xml.WriteAttributeString("id", model.Ids.Picture);
        Start("BPMNPlane");
        xml.WriteAttributeString("id", model.Ids.Plane);
        xml.WriteAttributeString("bpmnElement", model.Ids.Process);
        foreach (var node in model.Diagram.Nodes)
        {
            WriteShape(node);
        }

        foreach (var edge in model.Diagram.Edges)
        {
            if (edge.LeavesByBoundary)
            {
                var (middle, radius) = (edge.Boundary, FigureSizes.BoundaryRadius);
                StartElement("BPMNShape", model.Ids.Boundary(edge));
                Bounds(new Box(middle.X - radius, middle.Y - radius, 2 * radius, 2 * radius));
                xml.WriteEndElement();
            }

            WriteEdge(edge);
        }

        xml.WriteEndElement();
        xml.WriteEndElement();
    }

    private void WriteShape(PlacedNode node)
    {
        StartElement("BPMNShape", model.Ids.Node(node.Node.Id));
        if (node.Node.Kind == NodeKind.Decide)
        {
            xml.WriteAttributeString("isMarkerVisible", "true");
        }
        else if (node.Node.Kind == NodeKind.SubProcess)
        {
            xml.WriteAttributeString("isExpanded", "true");
        }

        if (overlay?.StateOf(node.Node.Id) is { } state and not NodeState.None)
        {
            xml.WriteAttributeString("background-color", BpmnXml.Color, Palette.Light.States[state].Fill);
            xml.WriteAttributeString("border-color", BpmnXml.Color, Palette.Light.States[state].Line);
        }

        Bounds(node.Shape);
        if (node.Figure.TextBeside && node.Figure.Text.Lines.Count > 0)
        {
            Label(node.Text);
        }

        xml.WriteEndElement();
    }

    private void WriteEdge(PlacedEdge edge)
    {
        StartElement("BPMNEdge", model.Ids.Flow(edge));
        foreach (var point in edge.Points)
        {
            xml.WriteStartElement("waypoint", BpmnXml.Interchange);
            xml.WriteAttributeString("x", N(point.X));
            xml.WriteAttributeString("y", N(point.Y));
            xml.WriteEndElement();
        }

        if (edge.Label is not null)
        {
            Label(edge.LabelBox);
        }

        xml.WriteEndElement();
    }

    private void Label(Box box)
    {
        Start("BPMNLabel");
        Bounds(box);
        xml.WriteEndElement();
    }

    private void Bounds(Box box)
    {
        xml.WriteStartElement("Bounds", BpmnXml.Coordinates);
        xml.WriteAttributeString("x", N(box.X));
        xml.WriteAttributeString("y", N(box.Y));
        xml.WriteAttributeString("width", N(box.Width));
        xml.WriteAttributeString("height", N(box.Height));
        xml.WriteEndElement();
    }

    private void StartElement(string name, string element)
    {
        Start(name);
        xml.WriteAttributeString("id", model.Ids.Part(element, "di"));
        xml.WriteAttributeString("bpmnElement", element);
    }

    private void Start(string name) => xml.WriteStartElement(name, BpmnXml.Diagram);

    private static string N(double value) => Math.Round(value, 2).ToString("0.##", CultureInfo.InvariantCulture);
}
