using Workflow.Abstractions.Definitions;

namespace Workflow.Diagrams.Layout;

/// <summary>
/// A definition as the author of its BPMN model has drawn it: every element and flow at its place in the file, with
/// the states of the steps that were made from it.
/// </summary>
internal sealed class ModelDiagram
{
    private const double Margin = 24;
    private const double WidestName = 100;
    private readonly DiagramGraph _graph;
    private readonly DefinitionLayout _layout;
    private readonly Dictionary<string, LayoutShape> _shapes;
    private readonly Dictionary<string, DiagramNode> _nodes;
    private readonly HashSet<string> _withSteps;
    private readonly ILookup<string, LayoutFlow> _out;
    private readonly Dictionary<LayoutFlow, string> _ids = new(ReferenceEqualityComparer.Instance);
    private readonly string? _process;

    private ModelDiagram(DiagramGraph graph, DefinitionLayout layout, string? process)
    {
        (_graph, _layout, _process) = (graph, layout, process);
        _shapes = layout.Shapes.ToDictionary(shape => shape.Element, StringComparer.Ordinal);
        _nodes = graph.Nodes.ToDictionary(node => node.Id, StringComparer.Ordinal);
        _withSteps = [.. graph.Nodes.Select(node => node.Element).OfType<string>()];
        _out = layout.Flows.ToLookup(flow => flow.From, StringComparer.Ordinal);
        foreach (var flow in layout.Flows)
        {
            _ids.Add(flow, string.Create(CultureInfo.InvariantCulture, $"flow:{_ids.Count}"));
        }
    }

    /// <summary>Null where a step has no place in the layout, e.g. since it was added later.</summary>
    /// <param name="graph">The graph of the definition with every step.</param>
    /// <param name="process">The element of the definition itself; steps that were made from it are not shown.</param>
    public static ModelDiagram? Find(DiagramGraph graph, DefinitionLayout layout, string? process)
    {
        var model = new ModelDiagram(graph, layout, process);
        return layout.Shapes.Count > 0 && graph.Nodes.Where(node => node.IsStep).All(node =>
            (process is not null && node.Element == process) || model.IsInside(node))
            ? model
            : null;
    }

    // What a collapsed sub-process hides is shown at the sub-process.
    private bool IsInside(DiagramNode node) =>
        Has(node) || (node.Parent is { } parent && IsInside(_nodes[parent]));

    private bool Has(DiagramNode node) => node.Element is { } element && _shapes.ContainsKey(element);

    public PlacedDiagram Place()
    {
        var steps = _graph.Nodes.Where(Has).ToLookup(node => node.Element!, StringComparer.Ordinal);
        var nodes = _layout.Shapes.OrderByDescending(shape => shape.Bounds[2] * shape.Bounds[3])
            .Select(shape => PlaceShape(shape, [.. steps[shape.Element]])).ToList();
        var edges = _layout.Flows.Where(flow => _shapes.ContainsKey(flow.From) && _shapes.ContainsKey(flow.To))
            .Select(PlaceFlow).ToList();
        var boxes = nodes.SelectMany(node => new[] { node.Shape, node.Text })
            .Concat(edges.Where(edge => edge.Label is not null).Select(edge => edge.LabelBox)).ToList();
        var points = edges.SelectMany(edge => edge.Points).ToList();
        points.AddRange(boxes.SelectMany(box => new Place[] { new(box.X, box.Y), new(box.Right, box.Bottom) }));
        var (left, top) = (points.Min(point => point.X) - Margin, points.Min(point => point.Y) - Margin);
        var graph = _graph with
        {
            Nodes = [.. nodes.Select(node => node.Node)], Edges = [.. edges.Select(edge => edge.Edge)],
        };
        return new PlacedDiagram(graph, [.. nodes.Select(node => Moved(node, left, top))],
            [.. edges.Select(edge => Moved(edge, left, top))],
            points.Max(point => point.X) - left + Margin, points.Max(point => point.Y) - top + Margin);
    }

    /// <param name="overlay">Of the steps.</param>
    public DiagramOverlay Show(DiagramOverlay overlay)
    {
        // A frame that the import has put around a part of an element counts what the element counts already.
        var places = _graph.Nodes.Where(node => Has(node) && !IsWithinItself(node))
            .Select(node => (node.Id, Element: node.Element!))
            .Concat(_graph.Nodes.Where(node => node.Kind == NodeKind.Start && ElementOf(node.Id) is not null)
                .Select(node => (node.Id, Element: ElementOf(node.Id)!))).ToList();
        var states = places.GroupBy(place => place.Element, place => overlay.StateOf(place.Id), StringComparer.Ordinal)
            .ToDictionary(group => group.Key, group => group.MaxBy(ElementFolding.Rank), StringComparer.Ordinal);
        var counts = places.GroupBy(
            place => place.Element, place => overlay.CountsOf(place.Id), StringComparer.Ordinal)
            .ToDictionary(group => group.Key, group => group.Aggregate(ElementFolding.Sum), StringComparer.Ordinal);
        var taken = new HashSet<string>(StringComparer.Ordinal);
        foreach (var edge in _graph.Edges.Where(edge => overlay.Taken.Contains(edge.Id)))
        {
            foreach (var flow in Way(edge))
            {
                taken.Add(_ids[flow]);
                states.TryAdd(flow.From, NodeState.Done);
                states.TryAdd(flow.To, NodeState.Done);
            }
        }

        return overlay with { States = states, Counts = counts, Taken = taken };
    }

    private bool IsWithinItself(DiagramNode node)
    {
        for (var parent = node.Parent; parent is not null; parent = _nodes[parent].Parent)
        {
            if (_nodes[parent].Element == node.Element)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// The flows of the model that an edge stands for: from its element to the next one, past elements that no step was
    /// made from, e.g. a gateway that only joins. None where the model has no way, or several.
    /// </summary>
    private List<LayoutFlow> Way(DiagramEdge edge)
    {
        if (ElementOf(edge.From) is not { } from || ElementOf(edge.To) is not { } to || from == to)
        {
            return [];
        }

        var into = new Dictionary<string, LayoutFlow>(StringComparer.Ordinal);
        List<LayoutFlow> arrivals = [];
        var open = new Queue<string>(edge.Kind.IsBoundary()
            ? _layout.Shapes.Where(shape => shape.AttachedTo == from).Select(shape => shape.Element)
            : [from]);
        while (open.TryDequeue(out var element))
        {
            foreach (var flow in _out[element])
            {
                if (flow.To == to)
                {
                    arrivals.Add(flow);
                }
                else if (!_withSteps.Contains(flow.To) && into.TryAdd(flow.To, flow))
                {
                    open.Enqueue(flow.To);
                }
            }
        }

        List<LayoutFlow> way = arrivals is [var last] ? [last] : [];
        while (way.Count > 0 && into.TryGetValue(way[^1].From, out var before) && !way.Contains(before))
        {
            way.Add(before);
        }

        return way;
    }

    // The start of a process or sub-process is its only start event; an event that is waited for is its gateway's.
    private string? ElementOf(string node)
    {
        if (_nodes[node].Kind == NodeKind.Start)
        {
            var parent = _nodes[node].Parent is { } around ? _nodes[around].Element : null;
            parent = parent == _process ? null : parent;
            var starts = _layout.Shapes.Where(shape => shape.Kind == "startEvent" && shape.Parent == parent).Take(2);
            return starts.ToArray() is [var only] ? only.Element : null;
        }

        return _nodes[node].IsStep ? _nodes[node].Element : _nodes[node.Split(':')[0]].Element;
    }

    private static PlacedNode PlaceShape(LayoutShape shape, List<DiagramNode> steps)
    {
        var kind = KindOf(shape);
        var box = BoxOf(shape.Bounds);
        var outline = kind switch
        {
            NodeKind.Lane => Outline.Frame,
            NodeKind.SubProcess when shape.Expanded => Outline.Frame,
            _ when shape.Kind.EndsWith("Event", StringComparison.Ordinal) => Outline.Circle,
            _ when shape.Kind.EndsWith("Gateway", StringComparison.Ordinal) => Outline.Diamond,
            _ => Outline.Box,
        };
        var name = shape.Name ?? (outline == Outline.Box ? shape.Element : "");
        var words = steps.Count > 0
            ? string.Join("; ", steps.Select(step => step.Description))
            : $"{(shape.Name is null ? shape.Element : $"{shape.Name} ({shape.Element})")}: {shape.Kind}";
        var node = new DiagramNode(shape.Element, kind, name, null, words);
        return outline switch
        {
            Outline.Frame => Framed(node, box),
            Outline.Box => Boxed(node, box),
            _ => Beside(node, outline, box, shape.Label),
        };
    }

    private static PlacedNode Framed(DiagramNode node, Box box)
    {
        var isLane = node.Kind == NodeKind.Lane;
        var text = Wrapped(node.Title, FigureSizes.FontSize, box.Width - (4 * Figure.Padding), 1);
        return new PlacedNode(node, new Figure(Outline.Frame, box.Width, box.Height, text), box, new Box(
            box.X + Figure.Padding + (isLane ? 0 : Figure.Padding + Figure.Icon), box.Y + Figure.FrameTop,
            text.Width, text.Height))
        {
            IsCentred = false,
        };
    }

    private static PlacedNode Boxed(DiagramNode node, Box box)
    {
        var lines = Math.Max(1, (int)((box.Height - 8) / 17));
        var text = Wrapped(node.Title, FigureSizes.FontSize, box.Width - 8, lines);
        return new PlacedNode(node, new Figure(Outline.Box, box.Width, box.Height, text), box, new Box(
            box.Middle.X - (text.Width / 2), box.Middle.Y - (text.Height / 2), text.Width, text.Height))
        {
            // The mark of the state is in the other corner.
            HasIconInCorner = true,
        };
    }

    private static PlacedNode Beside(DiagramNode node, Outline outline, Box box, IReadOnlyList<double>? label)
    {
        var wanted = label is null ? new Box(box.Middle.X - 1, box.Bottom + 4, 2, 2) : BoxOf(label);
        var text = Wrapped(
            node.Title, FigureSizes.SmallFontSize, Math.Max(wanted.Width, WidestName), 3);
        return new PlacedNode(node, new Figure(outline, box.Width, box.Height, text), box,
            new Box(wanted.Middle.X - (text.Width / 2), wanted.Y, text.Width, text.Height)) { IsCentred = true };
    }

    private PlacedEdge PlaceFlow(LayoutFlow flow)
    {
        var points = Enumerable.Range(0, flow.Points.Count / 2)
            .Select(i => new Place(flow.Points[2 * i], flow.Points[(2 * i) + 1])).ToList();
        var edge = new DiagramEdge(_ids[flow], flow.From, flow.To, EdgeKind.Next, flow.Name);
        if (flow.Name is null)
        {
            return new PlacedEdge(edge, points, null, default);
        }

        var wanted = flow.Label is { } label ? BoxOf(label) : new Box(points[0].X + 6, points[0].Y - 18, 0, 0);
        var text = Wrapped(flow.Name, FigureSizes.SmallFontSize, Math.Max(wanted.Width, WidestName), 3);
        return new PlacedEdge(edge, points, text, new Box(wanted.X, wanted.Y, text.Width, text.Height));
    }

    private static TextBlock Wrapped(string text, double fontSize, double widest, int lines) =>
        new(TextMeasure.Wrap(text, fontSize, Math.Max(widest, 20), lines));

    private static PlacedNode Moved(PlacedNode node, double left, double top) => node with
    {
        Shape = Moved(node.Shape, left, top), Text = Moved(node.Text, left, top),
    };

    private static PlacedEdge Moved(PlacedEdge edge, double left, double top) => edge with
    {
        Points = [.. edge.Points.Select(point => Moved(point, left, top))],
        LabelBox = Moved(edge.LabelBox, left, top),
    };

    private static Place Moved(Place place, double left, double top) => new(place.X - left, place.Y - top);
    private static Box Moved(Box box, double left, double top) => box with { X = box.X - left, Y = box.Y - top };
    private static Box BoxOf(IReadOnlyList<double> numbers) => new(numbers[0], numbers[1], numbers[2], numbers[3]);

    private static NodeKind KindOf(LayoutShape shape) => (shape.Kind, shape.Trigger) switch
    {
        ("lane", _) => NodeKind.Lane,
        ("subProcess", _) => NodeKind.SubProcess,
        ("endEvent", "terminate") => NodeKind.Terminate,
        ("endEvent" or "boundaryEvent" or "startEvent", "error") => NodeKind.Fail,
        ("endEvent" or "intermediateThrowEvent", not null) => NodeKind.Raise,
        ("endEvent", _) => NodeKind.End,
        (_, "timer") => NodeKind.Delay,
        ("receiveTask", _) => NodeKind.WaitSignal,
        ("userTask", _) => NodeKind.Task,
        ("serviceTask" or "sendTask", _) => NodeKind.Invoke,
        ("scriptTask", _) => NodeKind.Set,
        ("callActivity", _) => NodeKind.Call,
        ("exclusiveGateway", _) => NodeKind.Decide,
        ("parallelGateway", _) => NodeKind.Fork,
        ("inclusiveGateway", _) => NodeKind.Inclusive,
        ("eventBasedGateway", _) => NodeKind.WaitFirst,
        (_, not null) => NodeKind.Signal,
        ("startEvent" or "intermediateThrowEvent" or "intermediateCatchEvent" or "boundaryEvent", _) => NodeKind.Start,
        _ => NodeKind.Other,
    };
}
