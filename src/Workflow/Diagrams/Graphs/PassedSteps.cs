using Workflow.Contracts.Instances;

namespace Workflow.Diagrams.Graphs;

/// <summary>Which steps and edges an instance has passed for certain.</summary>
internal sealed class PassedSteps
{
    private readonly SubProcesses _subProcesses;
    private readonly HashSet<string> _cut = new(StringComparer.Ordinal);
    private readonly ILookup<string, DiagramEdge> _out;
    private readonly ILookup<string, DiagramEdge> _in;
    private readonly Dictionary<string, NodeKind> _kinds;
    private readonly HashSet<string> _resting;
    private readonly HashSet<string> _reached = new(StringComparer.Ordinal);
    private readonly Queue<string> _open = new();
    private readonly HashSet<string> _passed = new(StringComparer.Ordinal);
    private readonly HashSet<string> _edges = new(StringComparer.Ordinal);
    private readonly HashSet<string> _recorded;
    private readonly IReadOnlyDictionary<string, string?> _dominators;
    private readonly bool _everyBranchRan;
    private readonly bool _truncated;

    public PassedSteps(DiagramGraph graph, InstanceView instance, IReadOnlyList<HistoryEntry> history)
    {
        _subProcesses = new SubProcesses(graph);
        _out = graph.Edges.ToLookup(edge => edge.From, StringComparer.Ordinal);
        _in = graph.Edges.ToLookup(edge => edge.To, StringComparer.Ordinal);
        _kinds = graph.Nodes.ToDictionary(node => node.Id, node => node.Kind, StringComparer.Ordinal);

        // A failure or a terminating end cuts off branches that may not have begun.
        _everyBranchRan = instance.State is InstanceState.Running or InstanceState.Waiting or InstanceState.Suspended
            || (instance.State == InstanceState.Completed && !_subProcesses.HasTerminate(""));
        _dominators = Dominators.Of(graph);
        _recorded = history.Where(line => line is { Step: not null, Event: not ("started" or "entered") })
            .Select(line => line.Step!)
            .ToHashSet(StringComparer.Ordinal);
        _truncated = history.Any(line => line.Event == "truncated");
        _resting = [.. instance.Waits.Select(wait => wait.Step)];
        if (instance.Error?.Step is { } failed)
        {
            _resting.Add(failed);
        }

        _resting.UnionWith(_resting.SelectMany(_subProcesses.Around).ToList());
        foreach (var node in _resting.Where(_kinds.ContainsKey).Prepend(DiagramNode.StartId))
        {
            Reach(node);
        }

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
        Reach(step);
        EdgeKind? taken = what switch
        {
            "signalled" or "taskCompleted" or "returned" or "resumed" or "set" or "raised" or "left" => EdgeKind.Next,
            "timedOut" => EdgeKind.Timeout,
            "callFailed" or "activityFailed" or "caught" => EdgeKind.Error,
            _ => null,
        };

        // An error that a sub-process around takes does not lead on from its step.
        var isOthers = taken == EdgeKind.Error && !_out[step].Any(edge => edge.Kind == EdgeKind.Error);
        if ((taken is not null && !isOthers) || what is "decided" or "forked" or "chosen" or "interrupted"
            || (what == "stepFailed" && _kinds[step] == NodeKind.Fail))
        {
            _passed.Add(step);
        }

        if (taken is EdgeKind.Timeout or EdgeKind.Error || what == "interrupted")
        {
            _cut.Add(step);
        }

        if (what == "chosen")
        {
            Choose(step, detail);
        }
        else if (what is "decided" or "forked" or "interrupted" or "branched")
        {
            Array.ForEach(detail?.Split(", ") ?? [],
                next => TakeOnly(_out[step].Where(edge => edge.To == next && IsOn(edge, what))));
        }
        else
        {
            TakeOnly(_out[step].Where(edge => edge.Kind == taken));
        }
    }

    private void Choose(string step, string? next)
    {
        var chosen = _out[step].SelectMany(begin => _out[begin.To].Where(end => end.To == next)
            .Select(end => (begin, end))).ToList();
        if (chosen is [var only])
        {
            Take(only.begin);
            Take(only.end);
            _passed.Add(only.begin.To);
        }
    }

    private static bool IsOn(DiagramEdge edge, string what) =>
        what is "interrupted"
            ? edge.Kind.IsBoundary() && !edge.Kind.IsSide()
            : what != "branched" || edge.Kind.IsSide();

    // Several exits to one step cannot be told apart.
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
        Reach(edge.To);
    }

    // What is known of a node is concluded from once more when it is reached or passed, or where its exit is the only
    // way to what is.
    private void Reach(string node)
    {
        if (_reached.Add(node))
        {
            _open.Enqueue(node);
            if (_in[node].Take(2).ToArray() is [var only])
            {
                _open.Enqueue(only.From);
            }
        }
    }

    private void Pass(string node)
    {
        if (_passed.Add(node))
        {
            _open.Enqueue(node);
        }
    }

    private void Conclude()
    {
        while (_open.TryDequeue(out var node))
        {
            if (_reached.Contains(node))
            {
                Conclude(node);
            }
        }
    }

    private void Conclude(string node)
    {
        // What dominates that one in turn follows when it is its turn.
        if (_dominators[node] is { } above)
        {
            Reach(above);
            if (!_subProcesses.Around(node).Contains(above, StringComparer.Ordinal))
            {
                Pass(above);
            }
        }

        // Unless it ended as soon as it began, what is inside of it has begun.
        if (_kinds[node] == NodeKind.SubProcess && !_cut.Contains(node))
        {
            Reach(DiagramNode.StartOf(node));
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

    // What rests has a line of its own when it goes on. An activity that runs within the command leaves none, unless it
    // fails. In a sub-process that did not end by itself, nobody knows whether it ran or was what failed.
    private bool IsPassed(string node) => _passed.Contains(node) || (!_resting.Contains(node) && _kinds[node] switch
    {
        NodeKind.Start => true,
        _ when _subProcesses.Around(node).Any(_cut.Contains) => false,
        NodeKind.WaitSignal or NodeKind.WaitFirst or NodeKind.Signal or NodeKind.Delay or NodeKind.Task or NodeKind.Call
            or NodeKind.CallEach or NodeKind.SubProcess or NodeKind.Other => false,
        NodeKind.Invoke => !_truncated && !_recorded.Contains(node),
        NodeKind.Join => EveryBranchRan(node) && !IsAwaited(node),
        _ => true,
    });

    // So do events, a timeout or an error of a sub-process, for what is inside of it.
    private bool EveryBranchRan(string node) => _everyBranchRan && _subProcesses.Around(node)
        .All(around => !_truncated && !_cut.Contains(around) && !_subProcesses.HasTerminate(around));

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
            nested += _kinds[above] switch
            {
                NodeKind.Join => 1,
                NodeKind.Fork or NodeKind.Inclusive => -1,
                _ => 0,
            };
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
                || (edge.Kind == EdgeKind.Branch && EveryBranchRan(node))
                || (edge.Kind == EdgeKind.Next && _kinds[node] == NodeKind.Invoke && !_recorded.Contains(node)))
            {
                Take(edge);
            }
        }

        if (exits.Count > 0 && exits.TrueForAll(edge => edge.To == exits[0].To))
        {
            Reach(exits[0].To);
        }
    }
}
