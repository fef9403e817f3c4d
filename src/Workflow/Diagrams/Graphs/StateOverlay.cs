using System.Globalization;
using System.Text.Json;
using Workflow.Contracts.Instances;

namespace Workflow.Diagrams.Graphs;

/// <summary>
/// What an instance has done, read from its state and its history. Activities that run within a command leave no line there, nor do set,
/// decide, fork, join and raise once it is long; they count as done where the graph leaves no other way: a step dominates what was reached,
/// or is the only way on from what was passed. What is not certain is not shown.
/// </summary>
public static class StateOverlay
{
    /// <summary>The overlay of one instance.</summary>
    /// <param name="graph">The graph of the instance's definition and version.</param>
    public static DiagramOverlay Of(DiagramGraph graph, InstanceView instance, IReadOnlyList<HistoryEntry> history)
    {
        ArgumentNullException.ThrowIfNull(graph);
        ArgumentNullException.ThrowIfNull(instance);
        ArgumentNullException.ThrowIfNull(history);
        var passed = new PassedSteps(graph, instance, history);
        var states = passed.Steps.ToDictionary(step => step, _ => NodeState.Done, StringComparer.Ordinal);
        foreach (var waits in instance.Waits.GroupBy(wait => wait.Step, StringComparer.Ordinal))
        {
            states[waits.Key] = StateOf(waits);
        }

        if (instance.State == InstanceState.Failed && instance.Error?.Step is { } failed)
        {
            states[failed] = NodeState.Failed;
        }

        return new DiagramOverlay
        {
            Caption = $"instance {instance.Id}, {JsonNamingPolicy.CamelCase.ConvertName(instance.State.ToString())}",
            States = states,
            Taken = passed.Edges,
        };
    }

    /// <summary>How many of the instances stand at each step: where they wait, run, or have failed.</summary>
    /// <param name="complete">False when there are more instances than were counted.</param>
    public static DiagramOverlay Counting(IEnumerable<InstanceView> instances, bool complete = true)
    {
        ArgumentNullException.ThrowIfNull(instances);
        var counts = new Dictionary<string, NodeCounts>(StringComparer.Ordinal);
        var total = 0;
        foreach (var instance in instances)
        {
            total++;
            var places = instance.State == InstanceState.Failed
                ? instance.Error?.Step is { } failed ? [(failed, NodeState.Failed)] : Array.Empty<(string Step, NodeState State)>()
                : instance.Waits.GroupBy(wait => wait.Step, StringComparer.Ordinal).Select(waits => (waits.Key, StateOf(waits))).ToArray();
            foreach (var (step, state) in places)
            {
                var sum = counts.GetValueOrDefault(step);
                counts[step] = state switch
                {
                    NodeState.Failed => sum with { Failed = sum.Failed + 1 },
                    NodeState.Active => sum with { Active = sum.Active + 1 },
                    _ => sum with { Waiting = sum.Waiting + 1 },
                };
            }
        }

        var shown = total.ToString("N0", CultureInfo.InvariantCulture);
        return new DiagramOverlay
        {
            Caption = complete ? $"{shown} unfinished or failed instances" : $"the first {shown} unfinished or failed instances",
            States = counts.ToDictionary(count => count.Key, count => count.Value.Worst, StringComparer.Ordinal),
            Counts = counts,
        };
    }

    // Beside an activity that runs, events may be waited for.
    private static NodeState StateOf(IEnumerable<InstanceWait> ofStep) =>
        ofStep.Any(wait => wait is { Kind: "activity", NextAttemptAt: null }) ? NodeState.Active : NodeState.Waiting;
}

/// <summary>Which steps and edges an instance has passed for certain.</summary>
internal sealed class PassedSteps
{
    private readonly DiagramGraph _graph;
    private readonly ILookup<string, DiagramEdge> _out;
    private readonly ILookup<string, DiagramEdge> _in;
    private readonly Dictionary<string, NodeKind> _kinds;
    private readonly HashSet<string> _resting;
    private readonly HashSet<string> _reached = new(StringComparer.Ordinal);
    private readonly HashSet<string> _passed = new(StringComparer.Ordinal);
    private readonly HashSet<string> _edges = new(StringComparer.Ordinal);
    private readonly HashSet<string> _recorded;
    private readonly IReadOnlyDictionary<string, string?> _dominators;
    private readonly bool _everyBranchRan;
    private readonly bool _truncated;

    public PassedSteps(DiagramGraph graph, InstanceView instance, IReadOnlyList<HistoryEntry> history)
    {
        _graph = graph;
        _out = graph.Edges.ToLookup(edge => edge.From, StringComparer.Ordinal);
        _in = graph.Edges.ToLookup(edge => edge.To, StringComparer.Ordinal);
        _kinds = graph.Nodes.ToDictionary(node => node.Id, node => node.Kind, StringComparer.Ordinal);

        // A failure or a terminating end cuts off branches that may not have begun.
        _everyBranchRan = instance.State is InstanceState.Running or InstanceState.Waiting or InstanceState.Suspended
            || (instance.State == InstanceState.Completed && !_kinds.ContainsValue(NodeKind.Terminate));
        _dominators = Dominators.Of(graph);
        _recorded = history.Where(line => line is { Step: not null, Event: not ("started" or "entered") }).Select(line => line.Step!)
            .ToHashSet(StringComparer.Ordinal);
        _truncated = history.Any(line => line.Event == "truncated");
        _resting = [.. instance.Waits.Select(wait => wait.Step)];
        if (instance.Error?.Step is { } failed)
        {
            _resting.Add(failed);
        }

        _reached.Add(DiagramNode.StartId);
        _reached.UnionWith(_resting.Where(_kinds.ContainsKey));
        foreach (var line in history.Where(line => line.Step is { } step && _kinds.ContainsKey(step)))
        {
            Read(line.Event, line.Step!, line.Detail);
        }

        Conclude();
    }

    public IReadOnlySet<string> Steps => _passed;
    public IReadOnlySet<string> Edges => _edges;

    private void Read(string what, string step, string? detail)
    {
        _reached.Add(step);
        EdgeKind? taken = what switch
        {
            "signalled" or "taskCompleted" or "returned" or "resumed" or "set" or "raised" => EdgeKind.Next,
            "timedOut" => EdgeKind.Timeout,
            "callFailed" or "activityFailed" => EdgeKind.Error,
            _ => null,
        };
        if (taken is not null || what is "decided" or "forked" or "chosen" or "interrupted")
        {
            _passed.Add(step);
        }

        if (what == "chosen")
        {
            Choose(step, detail);
        }
        else if (what is "decided" or "forked" or "interrupted" or "branched")
        {
            Array.ForEach(detail?.Split(", ") ?? [], next => TakeOnly(_out[step].Where(edge => edge.To == next && IsOn(edge, what))));
        }
        else
        {
            TakeOnly(_out[step].Where(edge => edge.Kind == taken));
        }
    }

    private void Choose(string step, string? next)
    {
        var chosen = _out[step].SelectMany(begin => _out[begin.To].Where(end => end.To == next).Select(end => (begin, end))).ToList();
        if (chosen is [var only])
        {
            Take(only.begin);
            Take(only.end);
            _passed.Add(only.begin.To);
        }
    }

    private static bool IsOn(DiagramEdge edge, string what) =>
        what is "interrupted" ? edge.Kind.IsBoundary() && !edge.Kind.IsSide() : what != "branched" || edge.Kind.IsSide();

    // Of several exits to one step nobody knows which.
    private void TakeOnly(IEnumerable<DiagramEdge> exits)
    {
        if (exits.Take(2).ToArray() is [var only])
        {
            Take(only);
        }
    }

    private void Take(DiagramEdge edge)
    {
        _edges.Add(edge.Id);
        _reached.Add(edge.To);
    }

    private void Conclude()
    {
        int known;
        do
        {
            known = _reached.Count + _passed.Count + _edges.Count;
            foreach (var node in _graph.Nodes.Where(node => _reached.Contains(node.Id)).Select(node => node.Id).ToList())
            {
                for (var above = _dominators[node]; above is not null; above = _dominators[above])
                {
                    _reached.Add(above);
                    _passed.Add(above);
                }

                if (IsPassed(node))
                {
                    _passed.Add(node);
                    GoOn(node);
                    if (_kinds[node] == NodeKind.Join && ForkOf(node) is { } fork && _kinds[fork] == NodeKind.Fork)
                    {
                        // It has waited for all of them.
                        _out[fork].ToList().ForEach(Take);
                    }
                }
            }
        }
        while (_reached.Count + _passed.Count + _edges.Count > known);
    }

    // What rests has a line of its own when it goes on. An activity that runs within the command leaves none, unless it fails.
    private bool IsPassed(string node) => _passed.Contains(node) || (!_resting.Contains(node) && _kinds[node] switch
    {
        NodeKind.WaitSignal or NodeKind.WaitFirst or NodeKind.Signal or NodeKind.Delay or NodeKind.Task or NodeKind.Call
            or NodeKind.CallEach or NodeKind.Other => false,
        NodeKind.Invoke => !_truncated && !_recorded.Contains(node),
        NodeKind.Join => _everyBranchRan && !IsAwaited(node),
        _ => true,
    });

    // A join is passed once no branch of its fork rests before it.
    private bool IsAwaited(string join)
    {
        var fork = ForkOf(join);
        var before = new HashSet<string>(StringComparer.Ordinal) { join };
        var pending = new Queue<string>(before);
        while (pending.TryDequeue(out var node))
        {
            foreach (var from in _in[node].Select(edge => edge.From).Where(from => from != fork && before.Add(from)))
            {
                pending.Enqueue(from);
            }
        }

        return before.Overlaps(_resting);
    }

    // Forks and joins nest, and a fork dominates its join.
    private string? ForkOf(string join)
    {
        var nested = 0;
        var above = _dominators[join];
        while (above is not null && (_kinds[above] is not (NodeKind.Fork or NodeKind.Inclusive) || nested > 0))
        {
            nested += _kinds[above] == NodeKind.Join ? 1 : _kinds[above] is NodeKind.Fork or NodeKind.Inclusive ? -1 : 0;
            above = _dominators[above];
        }

        return above;
    }

    private void GoOn(string node)
    {
        var exits = _out[node].ToList();
        foreach (var edge in exits)
        {
            // There is no other exit, or no other way to where it leads; what an error or a timeout takes has its line.
            if (exits.Count == 1 || (_reached.Contains(edge.To) && _in[edge.To].Count() == 1)
                || (edge.Kind == EdgeKind.Branch && _everyBranchRan)
                || (edge.Kind == EdgeKind.Next && _kinds[node] == NodeKind.Invoke && !_recorded.Contains(node)))
            {
                Take(edge);
            }
        }

        if (exits.Count > 0 && exits.TrueForAll(edge => edge.To == exits[0].To))
        {
            _reached.Add(exits[0].To);
        }
    }
}

/// <summary>Immediate dominators (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001).</summary>
internal static class Dominators
{
    /// <summary>For each node the last one that every way from the start to it passes; null for the start.</summary>
    public static IReadOnlyDictionary<string, string?> Of(DiagramGraph graph)
    {
        var order = PostOrder(graph);
        var number = order.Select((id, index) => (id, index)).ToDictionary(pair => pair.id, pair => pair.index, StringComparer.Ordinal);
        var above = Enumerable.Repeat(-1, order.Count).ToArray();
        above[^1] = order.Count - 1;
        var into = graph.Edges.ToLookup(edge => number[edge.To], edge => number[edge.From]);
        bool changed;
        do
        {
            changed = false;
            for (var node = order.Count - 2; node >= 0; node--)
            {
                var found = into[node].Where(from => above[from] >= 0)
                    .Aggregate(-1, (one, other) => one < 0 ? other : Meet(above, one, other));
                changed |= above[node] != found;
                above[node] = found;
            }
        }
        while (changed);

        return order.Select((id, index) => (id, above: index == order.Count - 1 || above[index] < 0 ? null : order[above[index]]))
            .ToDictionary(pair => pair.id, pair => pair.above, StringComparer.Ordinal);
    }

    private static int Meet(int[] above, int one, int other)
    {
        while (one != other)
        {
            while (one < other)
            {
                one = above[one];
            }

            while (other < one)
            {
                other = above[other];
            }
        }

        return one;
    }

    private static List<string> PostOrder(DiagramGraph graph)
    {
        var onward = graph.Edges.ToLookup(edge => edge.From, edge => edge.To, StringComparer.Ordinal);
        var seen = new HashSet<string>(StringComparer.Ordinal);
        List<string> order = [];

        // The start last, so that what it does not reach has numbers of its own too.
        foreach (var root in graph.Nodes.Skip(1).Append(graph.Nodes[0]).Select(node => node.Id).Reverse())
        {
            if (seen.Add(root))
            {
                Visit(root);
            }
        }

        return [.. order.Where(id => id != graph.Nodes[0].Id), graph.Nodes[0].Id];

        void Visit(string root)
        {
            var path = new Stack<(string Id, IEnumerator<string> Next)>([(root, onward[root].GetEnumerator())]);
            while (path.TryPeek(out var top))
            {
                if (!top.Next.MoveNext())
                {
                    order.Add(path.Pop().Id);
                }
                else if (seen.Add(top.Next.Current))
                {
                    path.Push((top.Next.Current, onward[top.Next.Current].GetEnumerator()));
                }
            }
        }
    }
}
