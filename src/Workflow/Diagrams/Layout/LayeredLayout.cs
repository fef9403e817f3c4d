namespace Workflow.Diagrams.Layout;

/// <summary>
/// Places a graph in layers from above (Sugiyama's method), with edges of upright and level lines. What is inside a
/// sub-process is placed first, and stands in its surroundings as one large node. The same graph gets the same places
/// everywhere; nothing is random and no font is asked.
/// </summary>
public sealed class LayeredLayout
{
    private const double Margin = 24;
    private const double TrackGap = 10;
    private const double BelowNode = 14;
    private const double AboveNode = 18;
    private const double BesideLabel = 4;
    private readonly LayeredGraph _layered;
    private readonly Channel[] _channels;
    private readonly double[] _tops;
    private readonly double[] _heights;
    private readonly double[] _channelTops;
    private readonly Dictionary<Loop, (Vertex Node, Net Above, Net Below)> _loops = [];

    private LayeredLayout(DiagramGraph graph, IReadOnlyDictionary<string, PlacedDiagram> contents)
    {
        _layered = new LayeredGraph(graph, contents);
        new CrossingReduction(_layered.Layers, _layered.Segments.Count).Run();
        Exits.Place(_layered.Vertices);
        new Coordinates(_layered).Assign();
        var left = _layered.Vertices.Min(vertex => vertex.X - vertex.Left) - Margin;
        foreach (var vertex in _layered.Vertices)
        {
            vertex.X -= left;
        }

        _channels = [.. Enumerable.Range(0, _layered.Layers.Count + 1).Select(_ => new Channel())];
        FillChannels();
        (_tops, _channelTops) = (new double[_layered.Layers.Count], new double[_channels.Length]);
        _heights = [.. _layered.Layers.Select(layer => layer.Max(vertex => vertex.Height))];
        Stack();
    }

    public static PlacedDiagram Place(DiagramGraph graph) => Nesting.Place(graph, PlaceLevel);

    /// <summary>
    /// How often edges pass a layer on their way, those that arrive together once: time and memory grow with it.
    /// </summary>
    public static int BendsOf(DiagramGraph graph)
    {
        var (nodes, edges) = graph.Levels();
        return nodes.Sum(level =>
            LayeredGraph.BendsOf(graph with { Nodes = [.. level], Edges = [.. edges[level.Key]] }));
    }

    private static PlacedDiagram PlaceLevel(DiagramGraph graph, IReadOnlyDictionary<string, PlacedDiagram> contents)
    {
        var layout = new LayeredLayout(graph, contents);
        var nodes = layout._layered.Vertices.Where(vertex => vertex.Node is not null).Select(layout.PlaceNode).ToList();
        var edges = layout._layered.Routes.Select(layout.PlaceEdge).ToList();
        var lowest = layout._channelTops[^1] + (layout._channels[^1].Tracks * TrackGap);
        var rightmost = Math.Max(
            layout._layered.Vertices.Max(vertex => vertex.X + vertex.Right),
            edges.SelectMany(edge => edge.Points).Max(point => point.X));
        return new PlacedDiagram(graph, nodes, edges, rightmost + Margin, lowest + Margin);
    }

    private void FillChannels()
    {
        foreach (var segment in _layered.Segments)
        {
            var net = _channels[segment.Lower.Layer].NetOf(segment);
            AddOnce(net.Tops, segment.UpperX);
            AddOnce(net.Bottoms, segment.LowerX);
        }

        foreach (var vertex in _layered.Vertices)
        {
            foreach (var loop in vertex.Loops)
            {
                var below = _channels[vertex.Layer + 1].Add();
                below.Tops.AddRange([vertex.X + loop.Offset, vertex.X - loop.Reach]);
                var above = _channels[vertex.Layer].NetAt(vertex.Id, upper: false);
                above.Bottoms.Add(vertex.X - loop.Reach);
                AddOnce(above.Bottoms, Arrival(vertex));
                _loops.Add(loop, (vertex, above, below));
            }
        }

        foreach (var channel in _channels)
        {
            channel.Route();
        }
    }

    private static double Arrival(Vertex vertex) =>
        vertex.X + (vertex.Up.Find(segment => !segment.Back)?.LowerOffset ?? 0);

    private static void AddOnce(List<double> ends, double x)
    {
        if (!ends.Contains(x))
        {
            ends.Add(x);
        }
    }

    private void Stack()
    {
        var y = Margin;
        for (var i = 0; i < _channels.Length; i++)
        {
            var tracks = Math.Max(0, _channels[i].Tracks - 1) * TrackGap;
            y += i == 0 ? 0 : Below(_layered.Layers[i - 1]);
            _channelTops[i] = y;
            if (i < _tops.Length)
            {
                _tops[i] = y + tracks + (i == 0 && _channels[i].Tracks == 0 ? 0 : Above(_layered.Layers[i]));
                y = _tops[i] + _heights[i];
            }
        }
    }

    private double Below(List<Vertex> layer) =>
        layer.Exists(vertex => vertex.Node is not null)
            ? BelowNode + (layer.Exists(vertex => LeavesByBoundary(vertex)) ? FigureSizes.BoundaryRadius : 0)
            : BesideLabel;

    private static bool LeavesByBoundary(Vertex vertex) =>
        vertex.Down.Exists(segment => segment.Boundary)
            || vertex.Loops.Exists(loop => LayeredGraph.IsBoundary(loop.Edge));

    private static double Above(List<Vertex> layer) =>
        layer.Exists(vertex => vertex.Node is not null)
            ? AboveNode + (layer.Exists(vertex => vertex.Up.Exists(segment => segment.Boundary))
                ? FigureSizes.BoundaryRadius
                : 0)
            : BesideLabel;

    private double MiddleOf(Vertex vertex) => _tops[vertex.Layer] + (_heights[vertex.Layer] / 2);

    private PlacedNode PlaceNode(Vertex vertex)
    {
        var figure = vertex.Figure!;
        var (x, y) = (vertex.X, MiddleOf(vertex));
        var shape = new Box(x - (figure.Width / 2), y - (figure.Height / 2), figure.Width, figure.Height);
        var afterIcon = shape.X + (2 * Figure.Padding) + Figure.Icon;
        var text = figure.Outline switch
        {
            Outline.Frame => new Place(afterIcon, shape.Y + Figure.FrameTop),
            Outline.Box => new Place(
                afterIcon + ((figure.Width - (3 * Figure.Padding) - Figure.Icon - figure.Text.Width) / 2),
                y - (figure.Text.Height / 2)),
            _ => new Place(shape.Right + Figure.Gap, y - (figure.Text.Height / 2)),
        };
        return new PlacedNode(
            vertex.Node!, figure, shape, new Box(text.X, text.Y, figure.Text.Width, figure.Text.Height));
    }

    private PlacedEdge PlaceEdge(Route route) =>
        route.Loop is { } loop ? PlaceLoop(route.Edge, loop) : PlaceRoute(route);

    private PlacedEdge PlaceRoute(Route route)
    {
        List<Place> points = [];
        foreach (var segment in route.Segments)
        {
            points.Add(new Place(segment.UpperX, LowerBorder(segment)));
            points.AddRange(Between(_channels[segment.Lower.Layer].NetOf(segment), segment));
            points.Add(new Place(segment.LowerX, UpperBorder(segment)));
        }

        if (route.Back)
        {
            points.Reverse();
        }

        var label = route.LabelVertex;
        return new PlacedEdge(route.Edge, Straightened(points), label?.Label, label is null ? default : new Box(
            label.X + LayeredGraph.LabelOffset, MiddleOf(label) - (label.Height / 2), label.Label!.Width,
            label.Height));
    }

    // Where a segment leaves the vertex above it, and the one below it.
    private double LowerBorder(Segment segment) => MiddleOf(segment.Upper)
        + (segment.Upper.Figure?.HalfHeightAt(segment.UpperOffset) ?? 0)
        + (segment is { Boundary: true, Back: false, Upper.Node: not null } ? FigureSizes.BoundaryRadius : 0);

    private double UpperBorder(Segment segment) => MiddleOf(segment.Lower)
        - (segment.Lower.Figure?.HalfHeightAt(segment.LowerOffset) ?? 0)
        - (segment is { Boundary: true, Back: true, Lower.Node: not null } ? FigureSizes.BoundaryRadius : 0);

    private IEnumerable<Place> Between(Net net, Segment segment)
    {
        if (Math.Abs(segment.UpperX - segment.LowerX) < 0.5)
        {
            yield break;
        }

        var channel = segment.Lower.Layer;
        yield return new Place(segment.UpperX, TrackY(channel, net));
        if (net.Rest is not { } rest)
        {
            yield return new Place(segment.LowerX, TrackY(channel, net));
            yield break;
        }

        yield return new Place(net.RestAt, TrackY(channel, net));
        while (rest.Rest is { } further)
        {
            yield return new Place(net.RestAt, TrackY(channel, rest));
            yield return new Place(rest.RestAt, TrackY(channel, rest));
            (net, rest) = (rest, further);
        }

        yield return new Place(net.RestAt, TrackY(channel, rest));
        yield return new Place(segment.LowerX, TrackY(channel, rest));
    }

    private double TrackY(int channel, Net net) => _channelTops[channel] + (Math.Max(0, net.Track) * TrackGap);

    private PlacedEdge PlaceLoop(DiagramEdge edge, Loop loop)
    {
        var (vertex, above, below) = _loops[loop];
        var lower = MiddleOf(vertex) + vertex.Figure!.HalfHeightAt(loop.Offset)
            + (LayeredGraph.IsBoundary(edge) ? FigureSizes.BoundaryRadius : 0);
        var (from, aside, to) = (vertex.X + loop.Offset, vertex.X - loop.Reach, Arrival(vertex));
        var upper = MiddleOf(vertex) - vertex.Figure.HalfHeightAt(to - vertex.X);
        var (belowY, aboveY) = (TrackY(vertex.Layer + 1, below), TrackY(vertex.Layer, above.Lowest));
        List<Place> points = [new(from, lower), new(from, belowY), new(aside, belowY), new(aside, aboveY),
            new(to, aboveY), new(to, upper)];
        var label = loop.Label;
        return new PlacedEdge(edge, points, label, label is null ? default : new Box(
            aside - LayeredGraph.LabelOffset - label.Width, MiddleOf(vertex) - (label.Height / 2), label.Width,
            label.Height));
    }

    private static List<Place> Straightened(List<Place> points)
    {
        List<Place> kept = [];
        foreach (var point in points)
        {
            if (kept.Count > 0 && kept[^1] == point)
            {
                continue;
            }

            if (kept.Count > 1
                && ((kept[^1].X == point.X && kept[^2].X == point.X)
                    || (kept[^1].Y == point.Y && kept[^2].Y == point.Y)))
            {
                kept.RemoveAt(kept.Count - 1);
            }

            kept.Add(point);
        }

        return kept;
    }
}
