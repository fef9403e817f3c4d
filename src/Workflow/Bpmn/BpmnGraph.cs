using Workflow.Abstractions;

namespace Workflow.Bpmn;

internal enum NodeKind
{
    /// <summary>Goes on at its one way out; with steps, through them.</summary>
    Sequence,
    Decide,
    Fork,

    /// <summary>A fork that takes the branches whose conditions are true.</summary>
    Inclusive,
    Join,

    /// <summary>The token ends; the process or sub-process ends with its last token.</summary>
    End,

    /// <summary>Ends everything: a failure or a termination.</summary>
    Stop,
}

internal enum EdgeKind
{
    Next,
    Case,
    Otherwise,
    Branch,
    Timeout,
    Error,

    /// <summary>An event of a step that waits for the first of several, or at its border.</summary>
    Event,

    /// <summary>From a sub-process to the first step in it.</summary>
    Inside,
}

/// <summary>A place of the process: an element of the file, or what it needs in between.</summary>
internal sealed class FlowNode(string key, NodeKind kind, BpmnElement source, FlowArea area)
{
    /// <summary>The id of its first step.</summary>
    public string Key => key;

    public NodeKind Kind { get; set; } = kind;
    public BpmnElement Source => source;
    public FlowArea Area => area;

    /// <summary>Its steps, one after the other; none where it only leads on.</summary>
    public List<JsonObject> Steps { get; } = [];

    public List<FlowEdge> Out { get; } = [];
    public List<FlowEdge> In { get; } = [];

    /// <summary>Of a fork: the join that waits for all its branches; null where each of them ends by itself.</summary>
    public FlowNode? Partner { get; set; }

    /// <summary>Of an exported fork: the id of the step that is its join.</summary>
    public string? WantedPartner { get; set; }

    /// <summary>Whether its tokens run in branches.</summary>
    public bool Splits => Kind is NodeKind.Fork or NodeKind.Inclusive;
}

/// <summary>A way from one node to another.</summary>
/// <param name="Event">The event that leads there, without its target.</param>
internal sealed record FlowEdge(FlowNode From, FlowNode To, EdgeKind Kind, string? When, BpmnElement Source, JsonObject? Event = null);

/// <summary>The process, or a sub-process: what its tokens do not leave before the last of them has ended.</summary>
/// <param name="terminated">The variable that says that a terminate end event has ended it; null where nobody asks.</param>
internal sealed class FlowArea(bool isProcess, string? terminated = null)
{
    public bool IsProcess => isProcess;
    public string? Terminated => terminated;
}

/// <summary>What is read of a process: its graph, and where its elements and flows are.</summary>
internal sealed class ProcessMap(IReadOnlyList<BpmnElement> flows)
{
    public FlowGraph Graph { get; } = new();

    /// <summary>Where flows lead into each element, and where they leave it.</summary>
    public Dictionary<string, (FlowNode Entry, FlowNode Exit)> Places { get; } = new(StringComparer.Ordinal);

    public ILookup<string, BpmnElement> Outgoing { get; } = By(flows, "sourceRef");
    public ILookup<string, BpmnElement> Incoming { get; } = By(flows, "targetRef");

    /// <summary>A step of its own, in which the tokens of a sub-process run.</summary>
    public FlowNode AddScope(string wanted, BpmnElement source, FlowArea area)
    {
        var host = Graph.Add(wanted, NodeKind.Sequence, source, area);
        host.Steps.Add(new JsonObject { ["type"] = "subProcess" });
        return host;
    }

    private static ILookup<string, BpmnElement> By(IReadOnlyList<BpmnElement> flows, string end) =>
        flows.ToLookup(flow => flow.Attribute(end) ?? "", StringComparer.Ordinal);
}

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
        var key = ExportedStep.IdOf(source) == wanted && _reserved.Remove(wanted) && _keys.Add(wanted) ? wanted : Claim(wanted);
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

    /// <summary>An id of a step: of letters, digits, dot, underscore and hyphen, with room for what is appended.</summary>
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

/// <summary>
/// Pairs every fork with the join that waits for exactly its branches. Only what then means the same as in BPMN, where a join waits for a
/// token on each of its incoming flows, is accepted: each branch must lead into the join by one flow of its own, whatever it does before,
/// and the join must have no other. A fork without a join ends with the last of its branches.
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
                $"The process splits and joins {forks.Count + joins.Count} times in parallel; at most {2 * MaxGateways} are imported. "
                + "Move parts into processes of their own, and call them.");
            return;
        }

        foreach (var fork in forks)
        {
            Pair(fork);
        }

        foreach (var join in joins.Where(join => !_joins.Contains(join)))
        {
            findings.Add(join.Source, "This gateway waits for a token on each of its incoming flows, but these are not the branches of one "
                + "parallel split, each of which arrives exactly once, so it would wait for ever or join what does not belong together. "
                + "Lead every branch of one split to it, each by one flow, and nothing else; bring alternatives together before, in an "
                + "exclusive gateway.");
        }
    }

    private void Pair(FlowNode fork)
    {
        if (fork.WantedPartner is { } wanted
            && graph.Nodes.Find(node => node.Key == wanted && node.Kind == NodeKind.Join) is { } known && _joins.Add(known))
        {
            fork.Partner = known;
            return;
        }

        var reached = fork.Out.Select(branch => Reach(branch, null)).ToList();
        foreach (var join in Nearest(fork).Where(node => node.Kind == NodeKind.Join
            && fork.Out.Zip(reached).All(branch => branch.First.To.Kind == NodeKind.Stop || branch.Second.Contains(node))))
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
            findings.Add(fork.Source, "A branch of this parallel split leads back to before it, without a join: its tokens would multiply. "
                + "Join the branches first, or lead back by an exclusive gateway after the join.");
        }
    }

    /// <summary>Branches that arrive at a join together, by one flow, have met before: they fork inside of the others.</summary>
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
            groups.Add(([.. met.SelectMany(group => group.Edges), fork.Out[i]], [.. met.SelectMany(group => group.Nodes), .. reached[i]]));
        }

        return [.. groups.Select(group => group.Edges)];
    }

    /// <summary>Whether each branch, however it runs, arrives at the join exactly once, and nothing else does.</summary>
    private static bool Joins(FlowNode fork, FlowNode join)
    {
        // After an inclusive split a parallel join may wait for a branch that was not taken; an inclusive join waits for none that ended.
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

    /// <summary>What a branch can come to within the area of its fork, without passing the node that stops it.</summary>
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
