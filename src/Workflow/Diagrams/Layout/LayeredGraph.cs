namespace Workflow.Diagrams.Layout;

/// <summary>
/// Nodes in layers from the top, with edges between neighbouring layers only. Cycles are cut at the edges that lead
/// back to an open node of a depth-first walk; layers are those of the longest path; an edge with a label has it in a
/// layer of labels of its own; edges that pass layers on the way to one node share their way, as lines of a flow chart
/// that run together.
/// </summary>
internal sealed class LayeredGraph
{
    private const double LabelGap = 5;
    private const double LoopGap = 14;
    private readonly List<Vertex> _vertices = [];
    private readonly List<Segment> _segments = [];
    private readonly Dictionary<(Vertex Upper, Vertex Lower, bool Back, bool Boundary), Segment> _shared = [];
    private readonly Dictionary<(int Target, int Layer, bool Back), Vertex> _bends = [];
    private readonly Vertex[] _nodes;
    private readonly HashSet<DiagramEdge> _main;

    /// <param name="contents">What is inside the sub-processes of the graph, by their ids.</param>
    public LayeredGraph(DiagramGraph graph, IReadOnlyDictionary<string, PlacedDiagram> contents)
    {
        var (ends, labels, back, layers, count) = Rank(graph);
        var exits = graph.Edges.ToLookup(edge => edge.From, StringComparer.Ordinal);
        _main = MainEdges(graph, ends, back);
        _nodes =
        [
            .. graph.Nodes.Select((node, i) =>
                NodeVertex(node, layers[i], [.. exits[node.Id]], contents.GetValueOrDefault(node.Id))),
        ];
        List<Route> routes = [];
        for (var i = 0; i < ends.Length; i++)
        {
            if (ends[i].From == ends[i].To)
            {
                routes.Add(AddLoop(graph.Edges[i], _nodes[ends[i].From], labels[i]));
            }
            else if (back[i])
            {
                routes.Add(AddBack(graph.Edges[i], ends[i], labels[i]));
            }
            else
            {
                routes.Add(AddForward(graph.Edges[i], ends[i], labels[i]));
            }
        }

        Routes = routes;
        Layers = [.. Enumerable.Range(0, count).Select(_ => new List<Vertex>())];
        Arrange();
    }

    /// <summary>From the top, each from the left.</summary>
    public IReadOnlyList<List<Vertex>> Layers { get; }

    public IReadOnlyList<Route> Routes { get; }
    public IReadOnlyList<Vertex> Vertices => _vertices;
    public IReadOnlyList<Segment> Segments => _segments;

    /// <summary>
    /// How many points it takes for edges to pass layers: vertices that are neither a node nor a label.
    /// </summary>
    public static int BendsOf(DiagramGraph graph)
    {
        var (ends, labels, back, layers, _) = Rank(graph);
        var longest = new Dictionary<(int Target, bool Back), int>();
        for (var i = 0; i < ends.Length; i++)
        {
            // Those that arrive on one side share them.
            var passed = Math.Abs(layers[ends[i].To] - layers[ends[i].From]) - (labels[i] is null ? 1 : 2);
            var arrival = (ends[i].To, back[i]);
            longest[arrival] = Math.Max(longest.GetValueOrDefault(arrival), passed);
        }

        return longest.Values.Sum();
    }

    private static (
        (int From, int To)[] Ends, TextBlock?[] Labels, bool[] Back, int[] Layers, int Count) Rank(DiagramGraph graph)
    {
        var index = graph.Nodes.Select((node, i) => (node.Id, i))
            .ToDictionary(pair => pair.Id, pair => pair.i, StringComparer.Ordinal);
        var ends = graph.Edges.Select(edge => (From: index[edge.From], To: index[edge.To])).ToArray();
        var labels = graph.Edges.Select(FigureSizes.LabelOf).ToArray();
        var back = BackEdges(graph.Nodes.Count, ends);
        var layers = Expand(LongestPaths(graph.Nodes.Count, ends, back), ends, labels, back, out var count);
        return (ends, labels, back, layers, count);
    }

    private static bool[] BackEdges(int nodes, (int From, int To)[] ends)
    {
        var exits = Enumerable.Range(0, ends.Length).ToLookup(i => ends[i].From);
        var back = new bool[ends.Length];
        var state = new byte[nodes]; // 1 open, 2 done
        for (var root = 0; root < nodes; root++)
        {
            if (state[root] != 0)
            {
                continue;
            }

            state[root] = 1;
            var path = new Stack<(int Node, IEnumerator<int> Exits)>([(root, exits[root].GetEnumerator())]);
            while (path.TryPeek(out var top))
            {
                if (!top.Exits.MoveNext())
                {
                    state[top.Node] = 2;
                    path.Pop();
                    continue;
                }

                var edge = top.Exits.Current;
                var to = ends[edge].To;
                if (state[to] == 1)
                {
                    back[edge] = true;
                }
                else if (state[to] == 0)
                {
                    state[to] = 1;
                    path.Push((to, exits[to].GetEnumerator()));
                }
            }
        }

        return back;
    }

    private static int[] LongestPaths(int nodes, (int From, int To)[] ends, bool[] back)
    {
        var down = ends.Select((edge, i) => back[i] ? (From: edge.To, To: edge.From) : edge)
            .Where(edge => edge.From != edge.To).ToList();
        var onward = down.ToLookup(edge => edge.From, edge => edge.To);
        var open = new int[nodes];
        foreach (var edge in down)
        {
            open[edge.To]++;
        }

        var layers = new int[nodes];
        var pending = new Queue<int>(Enumerable.Range(0, nodes).Where(node => open[node] == 0));
        while (pending.TryDequeue(out var node))
        {
            foreach (var to in onward[node])
            {
                layers[to] = Math.Max(layers[to], layers[node] + 1);
                if (--open[to] == 0)
                {
                    pending.Enqueue(to);
                }
            }
        }

        return layers;
    }

    // Of the ways on from a node the longest goes straight down; of several as long as each other the one in the
    // middle.
    private static HashSet<DiagramEdge> MainEdges(DiagramGraph graph, (int From, int To)[] ends, bool[] back)
    {
        var up = ends.Select((edge, i) => back[i] ? edge : (From: edge.To, To: edge.From)).ToArray();
        var lengths = LongestPaths(graph.Nodes.Count, up, new bool[up.Length]);
        return [.. Enumerable.Range(0, ends.Length).Where(i => !back[i] && !IsBoundary(graph.Edges[i]))
            .GroupBy(i => ends[i].From)
            .Select(exits => exits.GroupBy(i => lengths[ends[i].To]).MaxBy(ways => ways.Key)!.ToArray())
            .Select(longest => graph.Edges[longest[(longest.Length - 1) / 2]])];
    }

    // A layer of labels comes after a layer from which labelled edges go down, or before one from which they go up.
    private static int[] Expand(
        int[] layers, (int From, int To)[] ends, TextBlock?[] labels, bool[] back, out int count)
    {
        var labelled = new HashSet<int>();
        for (var i = 0; i < ends.Length; i++)
        {
            if (labels[i] is not null && ends[i].From != ends[i].To)
            {
                labelled.Add(back[i] ? layers[ends[i].From] - 1 : layers[ends[i].From]);
            }
        }

        var place = new int[layers.Max() + 1];
        for (var layer = 1; layer < place.Length; layer++)
        {
            place[layer] = place[layer - 1] + (labelled.Contains(layer - 1) ? 2 : 1);
        }

        count = place[^1] + 1;
        return [.. layers.Select(layer => place[layer])];
    }

    private Vertex NodeVertex(DiagramNode node, int layer, IReadOnlyList<DiagramEdge> exits, PlacedDiagram? content)
    {
        var size = content is null ? default : (content.Width, content.Height);
        var figure = FigureSizes.Of(node, exits.Count, exits.Count(IsBoundary), size);
        return Add(new Vertex(_vertices.Count, layer)
        {
            Node = node,
            Figure = figure,
            Left = figure.Width / 2,
            Right = figure.Right,
            Height = Math.Max(figure.Height, figure.Text.Height),
        });
    }

    private Route AddForward(DiagramEdge edge, (int From, int To) ends, TextBlock? label)
    {
        var (from, to) = (_nodes[ends.From], _nodes[ends.To]);
        List<Vertex> way = [from];
        if (label is not null)
        {
            way.Add(LabelVertex(from.Layer + 1, label));
        }

        for (var layer = way[^1].Layer + 1; layer < to.Layer; layer++)
        {
            way.Add(Bend(ends.To, layer, back: false));
        }

        way.Add(to);
        return Connect(edge, way, back: false, label is null ? null : way[1]);
    }

    private Route AddBack(DiagramEdge edge, (int From, int To) ends, TextBlock? label)
    {
        var (from, to) = (_nodes[ends.From], _nodes[ends.To]);
        List<Vertex> way = [to];
        var last = label is null ? from.Layer : from.Layer - 1;
        for (var layer = to.Layer + 1; layer < last; layer++)
        {
            way.Add(Bend(ends.To, layer, back: true));
        }

        if (label is not null)
        {
            way.Add(LabelVertex(last, label));
        }

        way.Add(from);
        return Connect(edge, way, back: true, label is null ? null : way[^2]);
    }

    private Route Connect(DiagramEdge edge, List<Vertex> way, bool back, Vertex? label)
    {
        List<Segment> segments = [];
        for (var i = 1; i < way.Count; i++)
        {
            var first = i == (back ? way.Count - 1 : 1);
            var segment = SegmentOf(way[i - 1], way[i], back, first && IsBoundary(edge));
            segment.Main |= _main.Contains(edge);
            segments.Add(segment);
        }

        return new Route(edge, back, segments, label, null);
    }

    private Segment SegmentOf(Vertex upper, Vertex lower, bool back, bool boundary)
    {
        if (!_shared.TryGetValue((upper, lower, back, boundary), out var segment))
        {
            segment = new Segment(upper, lower, back, boundary);
            _shared.Add((upper, lower, back, boundary), segment);
            _segments.Add(segment);
            upper.Down.Add(segment);
            lower.Up.Add(segment);
        }

        return segment;
    }

    private static Route AddLoop(DiagramEdge edge, Vertex node, TextBlock? label)
    {
        var loop = new Loop(edge, label) { Reach = node.Left + LoopGap };
        node.Left = loop.Reach + (label is null ? 0 : LabelGap + label.Width);
        node.Loops.Add(loop);
        return new Route(edge, Back: false, [], null, loop);
    }

    private Vertex Bend(int target, int layer, bool back)
    {
        if (!_bends.TryGetValue((target, layer, back), out var bend))
        {
            bend = Add(new Vertex(_vertices.Count, layer));
            _bends.Add((target, layer, back), bend);
        }

        return bend;
    }

    private Vertex LabelVertex(int layer, TextBlock label) =>
        Add(new Vertex(_vertices.Count, layer)
            { Label = label, Left = 2, Right = LabelGap + label.Width, Height = label.Height });

    private Vertex Add(Vertex vertex)
    {
        _vertices.Add(vertex);
        return vertex;
    }

    // The first order is that of a walk from the start, which follows edges in their order.
    private void Arrange()
    {
        var seen = new bool[_vertices.Count];
        foreach (var root in _nodes)
        {
            var pending = new Stack<Vertex>([root]);
            while (pending.TryPop(out var vertex))
            {
                if (seen[vertex.Id])
                {
                    continue;
                }

                seen[vertex.Id] = true;
                vertex.Order = Layers[vertex.Layer].Count;
                Layers[vertex.Layer].Add(vertex);
                for (var i = vertex.Down.Count - 1; i >= 0; i--)
                {
                    pending.Push(vertex.Down[i].Lower);
                }
            }
        }
    }

    public static bool IsBoundary(DiagramEdge edge) => edge.Kind.IsBoundary();
    public static double LabelOffset => LabelGap;
}
