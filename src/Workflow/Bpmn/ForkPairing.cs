namespace Workflow.Bpmn;

/// <summary>
/// Pairs every fork with the join that waits for exactly its branches. Only what then means the same as in BPMN, where
/// a join waits for a token on each of its incoming flows, is accepted: each branch must lead into the join by one flow
/// of its own, whatever it does before, and the join must have no other. A fork without a join ends with the last of
/// its branches.
/// </summary>
internal sealed class ForkPairing(FlowGraph graph, FindingList findings)
{
    /// <summary>Parallel gateways of a process at most: pairing costs their square.</summary>
    private const int MaxGateways = 100;

    private readonly HashSet<FlowNode> _joins = [];

    public void Pair()
    {
        var forks = graph.Nodes.Where(node => node.Splits).ToList();
        var joins = graph.Nodes.Where(node => node.Kind == NodeKind.Join).ToList();
        if (forks.Count + joins.Count > 2 * MaxGateways)
        {
            findings.Add(forks.Concat(joins).First().Source,
                $"The process splits and joins {forks.Count + joins.Count} times in parallel; at most "
                    + $"{2 * MaxGateways} are imported. Move parts into processes of their own, and call them.");
            return;
        }

        foreach (var fork in forks)
        {
            Pair(fork);
        }

        foreach (var join in joins.Where(join => !_joins.Contains(join)))
        {
            findings.Add(join.Source, "This gateway waits for a token on each of its incoming flows, but these are not "
                + "the branches of one "
                + "parallel split, each of which arrives exactly once, so it would wait for ever or join what does not "
                + "belong together. "
                + "Lead every branch of one split to it, each by one flow, and nothing else; bring alternatives "
                + "together before, in an exclusive gateway.");
        }
    }

    private void Pair(FlowNode fork)
    {
        if (fork.WantedPartner is { } wanted
            && graph.Nodes.Find(node => node.Key == wanted && node.Kind == NodeKind.Join) is { } known
            && _joins.Add(known))
        {
            fork.Partner = known;
            return;
        }

        var reached = fork.Out.Select(branch => Reach(branch, null)).ToList();
        foreach (var join in Nearest(fork).Where(node => node.Kind == NodeKind.Join
            && fork.Out.Zip(reached).All(branch => branch.First.To.Kind == NodeKind.Stop
                || branch.Second.Contains(node))))
        {
            NestByArrival(fork, join);
            if (Joins(fork, join) && _joins.Add(join))
            {
                fork.Partner = join;
                return;
            }
        }

        var groups = Groups(fork, reached);
        if (groups.Count > 1 && groups.Count < fork.Out.Count && fork.Kind == NodeKind.Fork)
        {
            Nest(fork, groups);
        }
        else if (reached.Exists(set => set.Contains(fork)))
        {
            findings.Add(fork.Source, "A branch of this parallel split leads back to before it, without a join: its "
                + "tokens would multiply. "
                + "Join the branches first, or lead back by an exclusive gateway after the join.");
        }
    }

    /// <summary>
    /// Branches that arrive at a join together, by one flow, have met before: they fork inside of the others.
    /// </summary>
    private void NestByArrival(FlowNode fork, FlowNode join)
    {
        var arriving = fork.Out.Where(branch => branch.To.Kind != NodeKind.Stop)
            .Select(branch => (Branch: branch, Own: Arrivals(branch, Reach(branch, join), join))).ToList();
        var groups = arriving.Where(one => one.Own.Count == 1).GroupBy(one => one.Own[0], one => one.Branch).ToList();
        if (fork.Kind == NodeKind.Fork && groups.Count > 1 && groups.Count < fork.Out.Count
            && arriving.TrueForAll(one => one.Own.Count == 1))
        {
            Nest(fork, [.. groups.Select(group => group.ToList())]);
        }
    }

    private static List<FlowEdge> Arrivals(FlowEdge branch, HashSet<FlowNode> inside, FlowNode join) =>
        [.. join.In.Where(edge => edge == branch || inside.Contains(edge.From))];

    /// <summary>Branches that have nothing to do with each other fork outside of those that meet.</summary>
    private void Nest(FlowNode fork, List<List<FlowEdge>> groups)
    {
        foreach (var group in groups.Where(group => group.Count > 1))
        {
            var inner = graph.Add($"{fork.Key}_part", NodeKind.Fork, fork.Source, fork.Area);
            foreach (var edge in group)
            {
                FlowGraph.Move(edge, inner);
            }

            FlowGraph.Connect(fork, inner, EdgeKind.Branch, fork.Source);
            Pair(inner);
        }
    }

    private static List<List<FlowEdge>> Groups(FlowNode fork, List<HashSet<FlowNode>> reached)
    {
        List<(List<FlowEdge> Edges, HashSet<FlowNode> Nodes)> groups = [];
        for (var i = 0; i < fork.Out.Count; i++)
        {
            var met = groups.Where(group => group.Nodes.Overlaps(reached[i])).ToList();
            groups.RemoveAll(met.Contains);
            groups.Add(
                ([.. met.SelectMany(group => group.Edges), fork.Out[i]],
                    [.. met.SelectMany(group => group.Nodes), .. reached[i]]));
        }

        return [.. groups.Select(group => group.Edges)];
    }

    /// <summary>
    /// Whether each branch, however it runs, arrives at the join exactly once, and nothing else does.
    /// </summary>
    private static bool Joins(FlowNode fork, FlowNode join)
    {
        // After an inclusive split a parallel join may wait for a branch that was not taken; an inclusive join waits
        // for none that ended.
        var waitsForAll = join.Source.Is("parallelGateway");
        if (waitsForAll && fork.Kind == NodeKind.Inclusive)
        {
            return false;
        }

        HashSet<FlowEdge> arrivals = [];
        foreach (var branch in fork.Out.Where(branch => branch.To.Kind != NodeKind.Stop))
        {
            var inside = Reach(branch, join);
            var own = Arrivals(branch, inside, join);
            if (own.Count != 1 || !arrivals.Add(own[0]) || inside.Contains(fork)
                || (waitsForAll && inside.Any(node => Ends(node, fork.Area))))
            {
                return false;
            }
        }

        return arrivals.Count == join.In.Count;
    }

    private static bool Ends(FlowNode node, FlowArea area) => node.Area == area && node.Kind == NodeKind.End;

    /// <summary>
    /// What a branch can come to within the area of its fork, without passing the node that stops it.
    /// </summary>
    private static HashSet<FlowNode> Reach(FlowEdge branch, FlowNode? stop)
    {
        HashSet<FlowNode> found = [];
        var pending = new Queue<FlowNode>([branch.To]);
        while (pending.TryDequeue(out var node))
        {
            if (node == stop || node.Kind == NodeKind.Stop || !found.Add(node) || Ends(node, branch.From.Area))
            {
                continue;
            }

            Onward(node).ForEach(pending.Enqueue);
        }

        if (stop is null)
        {
            found.RemoveWhere(node => Ends(node, branch.From.Area));
        }

        return found;
    }

    private static List<FlowNode> Nearest(FlowNode fork)
    {
        List<FlowNode> order = [];
        HashSet<FlowNode> seen = [];
        var pending = new Queue<FlowNode>(fork.Out.Select(edge => edge.To));
        while (pending.TryDequeue(out var node))
        {
            if (!seen.Add(node))
            {
                continue;
            }

            order.Add(node);
            if (!Ends(node, fork.Area))
            {
                Onward(node).ForEach(pending.Enqueue);
            }
        }

        return order;
    }

    // What is inside of a sub-process forks and joins by itself.
    private static List<FlowNode> Onward(FlowNode node) =>
        [.. node.Out.Where(edge => edge.Kind != EdgeKind.Inside).Select(edge => edge.To)];
}
