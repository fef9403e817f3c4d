namespace Workflow.Diagrams.Layout;

/// <summary>
/// Places the vertices of the layers sideways. Vertices are aligned with a median neighbour into blocks that stay
/// upright, by the ends of their edges (Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment", 2001;
/// Rüegg and others, "Size- and Port-Aware Horizontal Node Coordinate Assignment", 2015); blocks are packed and then
/// drawn to the weighted median of what they are joined to. Of the four directions to align in, the one with the fewest
/// bends and the shortest edges is taken.
/// </summary>
internal sealed class Coordinates(LayeredGraph graph)
{
    private const double NodeGap = 32;
    private const double BendGap = 16;
    private const double LineGap = 12;
    private const double BendCost = 40;
    private const int Rounds = 6;
    private static readonly (bool Down, bool Left)[] Directions =
        [(true, true), (true, false), (false, true), (false, false)];
    private readonly Vertex[] _root = new Vertex[graph.Vertices.Count];
    private readonly double[] _shift = new double[graph.Vertices.Count];
    private readonly double[] _position = new double[graph.Vertices.Count];

    public void Assign()
    {
        double[]? best = null;
        var least = double.MaxValue;
        foreach (var (down, left) in Directions)
        {
            Align(down, left);
            PlaceBlocks(left);
            var cost = Cost();
            if (cost < least - 0.5)
            {
                least = cost;
                best = [.. graph.Vertices.Select(vertex => vertex.X)];
            }
        }

        for (var i = 0; i < best!.Length; i++)
        {
            graph.Vertices[i].X = best[i];
        }
    }

    /// <summary>How far the middles of two neighbours are apart at least.</summary>
    private static double Distance(Vertex left, Vertex right) =>
        left.Right + right.Left + ((left.Node, right.Node) switch
        {
            ({ }, { }) => NodeGap,
            (null, null) => LineGap,
            _ => BendGap,
        });

    private double Cost()
    {
        var sum = 0.0;
        foreach (var segment in graph.Segments)
        {
            var aside = Math.Abs(segment.UpperX - segment.LowerX);
            sum += Weight(segment) * (aside + (aside > 0.5 ? BendCost : 0));
        }

        return sum + graph.Vertices.Max(vertex => vertex.X + vertex.Right) - graph.Vertices.Min(vertex =>
            vertex.X - vertex.Left);
    }

    private static int Weight(Segment segment) => segment switch { { Inner: true } => 6, { Main: true } => 3, _ => 1 };
    private static int Priority(Segment segment) =>
        segment switch { { Inner: true } => 0, { Main: true } => 1, _ => 2 };

    private void Align(bool down, bool left)
    {
        foreach (var vertex in graph.Vertices)
        {
            _root[vertex.Id] = vertex;
            _shift[vertex.Id] = 0;
        }

        for (var i = 1; i < graph.Layers.Count; i++)
        {
            AlignLayer(graph.Layers[down ? i : graph.Layers.Count - 1 - i], down, left);
        }
    }

    private void AlignLayer(List<Vertex> layer, bool down, bool left)
    {
        var partner = new int[layer.Count];
        Array.Fill(partner, -1);
        var taken = new HashSet<int>();
        for (var priority = 0; priority <= 2; priority++)
        {
            for (var i = 0; i < layer.Count; i++)
            {
                var vertex = layer[left ? i : layer.Count - 1 - i];
                if (partner[vertex.Order] < 0 && Partner(vertex, down, left, priority, partner, taken) is { } found)
                {
                    var other = down ? found.Upper : found.Lower;
                    partner[vertex.Order] = other.Order;
                    taken.Add(other.Order);
                    _root[vertex.Id] = _root[other.Id];
                    _shift[vertex.Id] = _shift[other.Id] + (down
                        ? found.UpperOffset - found.LowerOffset
                        : found.LowerOffset - found.UpperOffset);
                }
            }
        }
    }

    // A median neighbour that no other vertex is aligned with, and to which no line crosses a line that is already
    // upright.
    private static Segment? Partner(
        Vertex vertex, bool down, bool left, int priority, int[] partner, HashSet<int> taken)
    {
        List<Segment> neighbours = [.. (down ? vertex.Up : vertex.Down).Where(segment => Priority(segment) == priority)
            .OrderBy(segment => down ? segment.Upper.Order : segment.Lower.Order)];
        if (neighbours.Count == 0)
        {
            return null;
        }

        var (low, high) = (vertex.Order - 1, vertex.Order + 1);
        while (low >= 0 && partner[low] < 0)
        {
            low--;
        }

        while (high < partner.Length && partner[high] < 0)
        {
            high++;
        }

        var least = low < 0 ? -1 : partner[low];
        var most = high >= partner.Length ? int.MaxValue : partner[high];
        var (first, second) = ((neighbours.Count - 1) / 2, neighbours.Count / 2);
        foreach (var at in left ? new[] { first, second } : [second, first])
        {
            var order = down ? neighbours[at].Upper.Order : neighbours[at].Lower.Order;
            if (order > least && order < most && !taken.Contains(order))
            {
                return neighbours[at];
            }
        }

        return null;
    }

    private void PlaceBlocks(bool left)
    {
        var bounds = new List<(Vertex Right, double Distance)>[graph.Vertices.Count];
        var limits = new List<(Vertex Left, double Distance)>[graph.Vertices.Count];
        var members = new List<Vertex>[graph.Vertices.Count];
        foreach (var vertex in graph.Vertices)
        {
            (bounds[vertex.Id], limits[vertex.Id]) = ([], []);
            (members[_root[vertex.Id].Id] ??= []).Add(vertex);
        }

        foreach (var layer in graph.Layers)
        {
            for (var i = 1; i < layer.Count; i++)
            {
                var (one, other) = (layer[i - 1], layer[i]);
                var distance = Distance(one, other) + _shift[one.Id] - _shift[other.Id];
                bounds[_root[one.Id].Id].Add((_root[other.Id], distance));
                limits[_root[other.Id].Id].Add((_root[one.Id], distance));
            }
        }

        var order = Sorted(bounds, limits, members);
        Pack(order, bounds, limits, left);
        for (var round = 0; round < Rounds; round++)
        {
            for (var i = 0; i < order.Count; i++)
            {
                Draw(order[order.Count - 1 - i], bounds, limits, members);
            }

            foreach (var block in order)
            {
                Draw(block, bounds, limits, members);
            }
        }

        foreach (var vertex in graph.Vertices)
        {
            vertex.X = _position[_root[vertex.Id].Id] + _shift[vertex.Id];
        }
    }

    // From the left: lines that are upright do not cross, so that no block is on both sides of another.
    private List<Vertex> Sorted(
        List<(Vertex Right, double)>[] bounds, List<(Vertex, double)>[] limits, List<Vertex>[] members)
    {
        var open = new int[graph.Vertices.Count];
        List<Vertex> order = [.. graph.Vertices.Where(vertex => members[vertex.Id] is not null)];
        var pending = new Queue<Vertex>();
        foreach (var block in order)
        {
            open[block.Id] = limits[block.Id].Count;
            if (open[block.Id] == 0)
            {
                pending.Enqueue(block);
            }
        }

        var count = order.Count;
        order.Clear();
        while (pending.TryDequeue(out var block))
        {
            order.Add(block);
            foreach (var (right, _) in bounds[block.Id])
            {
                if (--open[right.Id] == 0)
                {
                    pending.Enqueue(right);
                }
            }
        }

        return order.Count == count
            ? order
            : throw new InvalidOperationException($"{count - order.Count} blocks stand on both sides of each other.");
    }

    private void Pack(
        List<Vertex> order, List<(Vertex Right, double Distance)>[] bounds,
        List<(Vertex Left, double Distance)>[] limits, bool left)
    {
        for (var i = 0; i < order.Count; i++)
        {
            var block = order[left ? i : order.Count - 1 - i].Id;
            _position[block] = left
                ? limits[block].Select(limit => _position[limit.Left.Id] + limit.Distance).DefaultIfEmpty(0).Max()
                : bounds[block].Select(bound => _position[bound.Right.Id] - bound.Distance).DefaultIfEmpty(0).Min();
        }
    }

    // To the weighted median of where the ends of its edges would have it, as far as its neighbours leave room.
    private void Draw(
        Vertex block, List<(Vertex Right, double Distance)>[] bounds, List<(Vertex Left, double Distance)>[] limits,
        List<Vertex>[] members)
    {
        List<(double At, int Weight)> wanted = [];
        foreach (var vertex in members[block.Id])
        {
            foreach (var segment in vertex.Up)
            {
                Want(segment, segment.Upper, segment.UpperOffset - segment.LowerOffset - _shift[vertex.Id]);
            }

            foreach (var segment in vertex.Down)
            {
                Want(segment, segment.Lower, segment.LowerOffset - segment.UpperOffset - _shift[vertex.Id]);
            }
        }

        if (wanted.Count == 0)
        {
            return;
        }

        var least = limits[block.Id].Select(limit => _position[limit.Left.Id] + limit.Distance)
            .DefaultIfEmpty(double.MinValue).Max();
        var most = bounds[block.Id].Select(bound => _position[bound.Right.Id] - bound.Distance)
            .DefaultIfEmpty(double.MaxValue).Min();
        _position[block.Id] = Math.Min(Math.Max(Median(wanted, _position[block.Id]), least), most);

        void Want(Segment segment, Vertex other, double offset)
        {
            if (_root[other.Id] != block)
            {
                wanted.Add((_position[_root[other.Id].Id] + _shift[other.Id] + offset, Weight(segment)));
            }
        }
    }

    // Where two medians are as good as all between them, the nearer to where it is: one of the two edges is then
    // straight.
    private static double Median(List<(double At, int Weight)> wanted, double now)
    {
        wanted.Sort();
        var total = wanted.Sum(one => one.Weight);
        var sum = 0;
        for (var i = 0; i < wanted.Count; i++)
        {
            sum += wanted[i].Weight;
            if (2 * sum > total)
            {
                return wanted[i].At;
            }

            if (2 * sum == total)
            {
                return now - wanted[i].At <= wanted[i + 1].At - now ? wanted[i].At : wanted[i + 1].At;
            }
        }

        return now;
    }
}
