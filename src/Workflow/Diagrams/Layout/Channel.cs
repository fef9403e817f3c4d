namespace Workflow.Diagrams.Layout;

/// <summary>
/// The space between two layers. It gives each net a track so that upright lines of different nets never lie on each
/// other, and few lines cross (after Sander, "A Fast Heuristic for Hierarchical Manhattan Layout", 1996).
/// </summary>
internal sealed class Channel
{
    // Upright lines nearer than this look like one.
    private const double Touching = 6;
    private const double TrackMargin = 8;
    private const int MostComparedNets = 400;
    private readonly List<Net> _nets = [];
    private readonly Dictionary<(int Vertex, bool Upper), Net> _byEnd = [];

    public int Tracks { get; private set; }

    /// <summary>Edges up share where they arrive above, edges down where they arrive below.</summary>
    public Net NetOf(Segment segment) => NetAt(segment.Back ? segment.Upper.Id : segment.Lower.Id, segment.Back);

    public Net NetAt(int vertex, bool upper)
    {
        if (!_byEnd.TryGetValue((vertex, upper), out var net))
        {
            net = Add();
            _byEnd.Add((vertex, upper), net);
        }

        return net;
    }

    public Net Add()
    {
        var net = new Net { Id = _nets.Count };
        _nets.Add(net);
        return net;
    }

    public void Route()
    {
        // Straight ones need no track, and nothing comes near them: where they end above and below there is nobody
        // else.
        _nets.ForEach(net => net.Measure());
        _nets.RemoveAll(net => net.IsStraight);
        for (var i = 0; i < _nets.Count; i++)
        {
            _nets[i].Id = i;
        }

        var above = Above();
        for (var splits = _nets.Count; splits > 0 && Cycle(above) is { } net; splits--)
        {
            Split(net);
            above = Above();
        }

        List<Net> placed = [];
        foreach (var net in Ordered(above))
        {
            net.Track =
                placed.Where(other => net.Low - TrackMargin <= other.High && other.Low - TrackMargin <= net.High)
                .Select(other => other.Track + 1).DefaultIfEmpty(0).Max();
            placed.Add(net);
        }

        Tracks = placed.Count == 0 ? 0 : placed.Max(net => net.Track) + 1;
    }

    // Where a line from above comes near one from below, the first must end higher.
    private List<int>[] Above()
    {
        var above = _nets.Select(_ => new List<int>()).ToArray();
        var bottoms = _nets.SelectMany(net => net.Bottoms.Select(x => (x, net.Id))).Order().ToList();
        foreach (var net in _nets)
        {
            foreach (var top in net.Tops)
            {
                var at = bottoms.BinarySearch((top - Touching, int.MaxValue));
                for (at = at < 0 ? ~at : at; at < bottoms.Count && bottoms[at].x < top + Touching; at++)
                {
                    if (bottoms[at].Id != net.Id)
                    {
                        above[net.Id].Add(bottoms[at].Id);
                    }
                }
            }

            if (net.Rest is { } rest)
            {
                above[net.Id].Add(rest.Id);
            }
        }

        return above;
    }

    // Nets on no cycle are peeled off from above and from below; any of the rest is split.
    private Net? Cycle(List<int>[] above)
    {
        var below = _nets.Select(_ => new List<int>()).ToArray();
        for (var net = 0; net < above.Length; net++)
        {
            above[net].ForEach(other => below[other].Add(net));
        }

        var left = Enumerable.Range(0, _nets.Count).ToHashSet();
        Peel(above, below);
        Peel(below, above);
        return left.Count == 0
            ? null
            : _nets[left.MinBy(net => (_nets[net].Tops.Count + _nets[net].Bottoms.Count, net))];

        void Peel(List<int>[] forward, List<int>[] backward)
        {
            var pending = new Queue<int>(left.Where(net => !backward[net].Exists(left.Contains)).Order());
            while (pending.TryDequeue(out var net))
            {
                if (left.Remove(net))
                {
                    foreach (var next in forward[net]
                        .Where(next => left.Contains(next) && !backward[next].Exists(left.Contains)))
                    {
                        pending.Enqueue(next);
                    }
                }
            }
        }
    }

    private void Split(Net net)
    {
        var at = FreePlace(net);
        var rest = Add();
        rest.Bottoms.AddRange(net.Bottoms);
        rest.Joints.Add(at);
        (rest.Rest, rest.RestAt) = (net.Rest, net.RestAt);
        if (net.Rest is not null)
        {
            net.Joints.Remove(net.RestAt);
            rest.Joints.Add(net.RestAt);
        }

        net.Bottoms.Clear();
        net.Joints.Add(at);
        (net.Rest, net.RestAt) = (rest, at);
        net.Measure();
        rest.Measure();
    }

    /// <summary>
    /// A place for an upright line that is near no other, as near to the middle of the net as there is one.
    /// </summary>
    private double FreePlace(Net net)
    {
        var ends = _nets.SelectMany(other => other.Ends).Distinct().Order().ToList();
        var middle = (net.Low + net.High) / 2;
        return Enumerable.Range(1, ends.Count - 1).Where(i => ends[i] - ends[i - 1] >= 2 * Touching)
            .Select(i => Math.Round((ends[i] + ends[i - 1]) / 2)).Append(ends[^1] + (2 * Touching))
            .MinBy(place => Math.Abs(place - middle));
    }

    // From above; of those that nothing must precede, the one that crosses fewer lines there than it would further
    // below.
    private IEnumerable<Net> Ordered(List<int>[] above)
    {
        var open = new int[_nets.Count];
        foreach (var other in above.SelectMany(others => others))
        {
            open[other]++;
        }

        var gain = Gains(out var costs);
        var left = Enumerable.Range(0, _nets.Count).ToList();
        while (left.Count > 0)
        {
            var free = left.Where(net => open[net] <= 0).DefaultIfEmpty(left[0]);
            var next = free.MinBy(net => (gain[net], _nets[net].Low, net));
            left.Remove(next);
            above[next].ForEach(other => open[other]--);
            if (costs is not null)
            {
                left.ForEach(net => gain[net] -= costs[net, next] - costs[next, net]);
            }

            yield return _nets[next];
        }
    }

    private int[] Gains(out int[,]? costs)
    {
        var gain = new int[_nets.Count];
        if (_nets.Count > MostComparedNets)
        {
            costs = null;
            return gain;
        }

        costs = new int[_nets.Count, _nets.Count];
        foreach (var one in _nets)
        {
            foreach (var other in _nets.Where(net => net != one && net.Low < one.High && one.Low < net.High))
            {
                var cost = Between(other.Tops, one) + Between(one.Bottoms, other);
                costs[one.Id, other.Id] = cost;
                gain[one.Id] += cost;
                gain[other.Id] -= cost;
            }
        }

        return gain;
    }

    private static int Between(List<double> ends, Net net)
    {
        var (low, high) = (net.Low, net.High);
        return ends.Count(end => end > low && end < high);
    }
}
