namespace Workflow.Diagrams.Layout;

/// <summary>
/// Orders the vertices of each layer so that few edges cross: sweeps by the barycentre of the neighbours (Sugiyama,
/// Tagawa and Toda, 1981) with exchanges of neighbours (Gansner, Koutsofios, North and Vo, "A Technique for Drawing
/// Directed Graphs", 1993). The order that the graph came with wins ties, so that a small change of the graph changes
/// few places.
/// </summary>
internal sealed class CrossingReduction(IReadOnlyList<List<Vertex>> layers, int segments)
{
    // Ordinary graphs have some hundreds of segments and are done long before.
    private const int SegmentVisits = 600_000;
    private const int MostSweeps = 24;
    private const int IdleSweeps = 4;
    private const int MostExchanges = 10;
    private const int LongestExchangedLayer = 250;
    private readonly int[] _tree = new int[(2 * layers.Max(layer => layer.Count)) + 4];
    private readonly Dictionary<int, int> _first =
        layers.SelectMany(layer => layer).ToDictionary(vertex => vertex.Id, vertex => vertex.Order);
    private int[][] _best = [];
    private long _fewest = long.MaxValue;

    public void Run()
    {
        var sweeps = Math.Clamp(SegmentVisits / Math.Max(1, segments), 2, MostSweeps);
        Keep();
        Improve(sweeps, down: true);
        Reset();
        Improve(sweeps, down: false);
        Restore();
    }

    private void Improve(int sweeps, bool down)
    {
        var idle = 0;
        for (var i = 0; i < sweeps && idle < IdleSweeps && _fewest > 0; i++)
        {
            Sweep(down == (i % 2 == 0));
            Exchange();
            idle = Keep() ? 0 : idle + 1;
        }
    }

    private bool Keep()
    {
        var crossings = Crossings();
        if (crossings >= _fewest)
        {
            return false;
        }

        _fewest = crossings;
        _best = [.. layers.Select(layer => layer.Select(vertex => vertex.Id).ToArray())];
        return true;
    }

    private void Restore()
    {
        for (var i = 0; i < layers.Count; i++)
        {
            var byId = layers[i].ToDictionary(vertex => vertex.Id);
            Set(layers[i], [.. _best[i].Select(id => byId[id])]);
        }
    }

    private void Reset()
    {
        foreach (var layer in layers)
        {
            Set(layer, [.. layer.OrderBy(vertex => _first[vertex.Id])]);
        }
    }

    private static void Set(List<Vertex> layer, Vertex[] order)
    {
        for (var i = 0; i < order.Length; i++)
        {
            layer[i] = order[i];
            order[i].Order = i;
        }
    }

    private void Sweep(bool down)
    {
        for (var i = 1; i < layers.Count; i++)
        {
            var layer = layers[down ? i : layers.Count - 1 - i];
            var keys = layer.Select(vertex => Barycentre(vertex, down)).ToArray();
            var order = layer.ToArray();
            var positions = Enumerable.Range(0, order.Length).OrderBy(at => keys[at]).Select(at => order[at]).ToArray();
            Set(layer, positions);
        }
    }

    private double Barycentre(Vertex vertex, bool down)
    {
        var neighbours = down ? vertex.Up : vertex.Down;
        if (neighbours.Count == 0)
        {
            var other = layers[down ? vertex.Layer - 1 : vertex.Layer + 1].Count;
            return vertex.Order * (double)other / layers[vertex.Layer].Count;
        }

        var sum = 0.0;
        foreach (var segment in neighbours)
        {
            sum += down ? segment.Upper.Order : segment.Lower.Order;
        }

        return sum / neighbours.Count;
    }

    private void Exchange()
    {
        bool improved;
        var rounds = 0;
        do
        {
            improved = false;
            foreach (var layer in layers.Where(layer => layer.Count <= LongestExchangedLayer))
            {
                for (var i = 1; i < layer.Count; i++)
                {
                    var (left, right) = (layer[i - 1], layer[i]);
                    if (Crossed(right, left) < Crossed(left, right))
                    {
                        (layer[i - 1], layer[i]) = (right, left);
                        (right.Order, left.Order) = (i - 1, i);
                        improved = true;
                    }
                }
            }
        }
        while (improved && ++rounds < MostExchanges);
    }

    /// <summary>Crossings between the segments of two neighbours when they stand in this order.</summary>
    private static int Crossed(Vertex left, Vertex right)
    {
        var sum = 0;
        foreach (var one in left.Up)
        {
            foreach (var other in right.Up)
            {
                sum += one.Upper.Order > other.Upper.Order ? 1 : 0;
            }
        }

        foreach (var one in left.Down)
        {
            foreach (var other in right.Down)
            {
                sum += one.Lower.Order > other.Lower.Order ? 1 : 0;
            }
        }

        return sum;
    }

    // Inversions of the lower ends in the order of the upper ones, by a binary indexed tree.
    private long Crossings()
    {
        var sum = 0L;
        for (var i = 1; i < layers.Count; i++)
        {
            Array.Clear(_tree);
            var seen = 0;
            foreach (var upper in layers[i - 1])
            {
                foreach (var segment in upper.Down)
                {
                    sum += seen - UpTo(segment.Lower.Order);
                }

                foreach (var segment in upper.Down)
                {
                    Add(segment.Lower.Order);
                    seen++;
                }
            }
        }

        return sum;
    }

    private int UpTo(int order)
    {
        var sum = 0;
        for (var at = order + 1; at > 0; at -= at & -at)
        {
            sum += _tree[at];
        }

        return sum;
    }

    private void Add(int order)
    {
        for (var at = order + 1; at < _tree.Length; at += at & -at)
        {
            _tree[at]++;
        }
    }
}
