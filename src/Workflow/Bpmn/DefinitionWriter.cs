using Workflow.Abstractions;

namespace Workflow.Bpmn;

/// <summary>
/// Inside which fork or sub-process a token runs; null is outside of every one. One object for each of them.
/// </summary>
internal sealed record FlowScope(FlowNode Of, FlowScope? Around);

internal sealed class DefinitionWriter(FlowGraph graph, BpmnSteps steps, FindingList findings)
{
    private const int LongestTitle = 256;
    private const int LongestDocumentation = 16_384;
    private readonly Dictionary<FlowNode, FlowScope?> _scopes = [];
    private readonly Dictionary<FlowNode, string> _joins = [];
    private readonly HashSet<FlowNode> _reached = [];
    private readonly JsonObject _written = new();
    private readonly Dictionary<string, BpmnElement> _sources = new(StringComparer.Ordinal);

    /// <summary>The element that each step comes from.</summary>
    public IReadOnlyDictionary<string, BpmnElement> Sources => _sources;

    /// <summary>Finds inside which forks each node runs, and what is never reached.</summary>
    public void Walk()
    {
        var pending =
            new Queue<(FlowNode Node, FlowScope? Scope, BpmnElement By)>([(graph.Start!, null, graph.Start!.Source)]);
        while (pending.TryDequeue(out var arrival))
        {
            var (node, scope, by) = arrival;
            _reached.Add(node);
            if (node.Kind == NodeKind.Join)
            {
                if (scope is null || scope.Of.Partner != node)
                {
                    findings.Add(by, $"This leads to the join '{node.Key}' from outside of the branches that it waits "
                        + "for. Lead there only from the branches of its split.");
                    continue;
                }

                scope = scope.Around;
            }

            if (node.Kind is NodeKind.End or NodeKind.Stop)
            {
                // Reached from anywhere.
                continue;
            }

            if (!_scopes.TryAdd(node, scope))
            {
                if (!ReferenceEquals(_scopes[node], scope))
                {
                    findings.Add(by, $"This leads to '{node.Key}', which is reached from inside and from outside of a "
                        + "parallel split. Join the branches before, or give each side elements of its own.");
                }

                continue;
            }

            CheckSideTokens(node, scope);
            var inside = node.Splits ? new FlowScope(node, scope) : scope;
            node.Out.ForEach(edge => pending.Enqueue(
                (edge.To, edge.Kind == EdgeKind.Inside ? new FlowScope(node, scope) : inside, edge.Source)));
        }

        foreach (var element in graph.Nodes.GroupBy(node => node.Source)
            .Where(nodes => !nodes.Any(_reached.Contains) && !IsRefused(nodes.Key)).ToList())
        {
            findings.Add(element.Key, "Nothing leads here from the start event. Draw the flow, or remove the element.");
        }
    }

    // Nothing leads into what is refused as a whole.
    private bool IsRefused(BpmnElement element) =>
        findings.Concerns(element) || (element.Parent is { Kind: "subProcess" } around && IsRefused(around));

    // A token beside the one that waits would be one more at a join.
    private void CheckSideTokens(FlowNode node, FlowScope? scope)
    {
        var isJoined = false;
        for (var around = scope; around is { Of.Splits: true }; around = around.Around)
        {
            isJoined |= around.Of.Partner is not null;
        }

        foreach (var edge in node.Out.Where(edge => isJoined && edge.Event?["interrupting"]?.GetValue<bool>() == false
            && ExportedStep.Find(node.Source) is null))
        {
            findings.Add(edge.Source, "An event that does not interrupt is not imported within branches that join: the "
                + "join would wait for "
                + "what it begins too. Let it interrupt, or put the branches into a sub-process each.");
        }
    }

    /// <summary>The steps and the id of the first; only after a walk without findings.</summary>
    public (string Start, JsonObject Steps) Write()
    {
        foreach (var (node, scope) in _scopes)
        {
            Write(node, scope);
        }

        foreach (var node in _reached.Where(node => node.Kind == NodeKind.Stop))
        {
            WriteSequence(node, null);
        }

        return (Target(graph.Start!, null), _written);
    }

    private void Write(FlowNode node, FlowScope? scope)
    {
        switch (node.Kind)
        {
            case NodeKind.Sequence when node.Steps.Count > 0:
                WriteSequence(node, scope);
                break;
            case NodeKind.Decide:
                Add(node.Key, node.Source, new JsonObject
                {
                    ["type"] = "decide",
                    ["cases"] = new JsonArray([.. node.Out.Where(edge => edge.Kind == EdgeKind.Case)
                        .Select(edge => new JsonObject { ["when"] = edge.When, ["next"] = Target(edge.To, scope) })]),
                    ["otherwise"] = Target(node.Out.Single(edge => edge.Kind == EdgeKind.Otherwise).To, scope),
                });
                break;
            case NodeKind.Fork or NodeKind.Inclusive:
                WriteFork(node, new FlowScope(node, scope));
                break;
            case NodeKind.Join:
                Add(node.Key, node.Source,
                    new JsonObject { ["type"] = "join", ["next"] = Target(node.Out[0].To, scope) });
                break;
        }
    }

    private void WriteSequence(FlowNode node, FlowScope? scope)
    {
        var ids = node.Steps.Select((_, i) => i == 0 ? node.Key : graph.Claim($"{node.Key}_{i + 1}")).ToList();
        for (var i = 0; i < ids.Count; i++)
        {
            var step = node.Steps[i];
            if (i + 1 < ids.Count)
            {
                step["next"] = ids[i + 1];
            }
            else if (node.Out.Find(edge => edge.Kind == EdgeKind.Next) is { } onward)
            {
                step["next"] = Target(onward.To, scope);
            }

            Add(ids[i], node.Source, step);
        }

        if (node.Out.Find(edge => edge.Kind == EdgeKind.Inside) is { } inner)
        {
            node.Steps[0]["start"] = Target(inner.To, new FlowScope(node, scope));
        }

        var events = node.Out.Where(edge => edge.Kind == EdgeKind.Event).ToList();
        foreach (var edge in events)
        {
            edge.Event!["next"] = Target(edge.To, scope);
        }

        if (events.Count > 0)
        {
            node.Steps[0][node.Out.Exists(edge => edge.Kind == EdgeKind.Next) ? "boundary" : "events"] =
                new JsonArray([.. events.Select(edge => edge.Event!.DeepClone())]);
        }

        foreach (var edge in node.Out.Where(edge => edge.Kind is EdgeKind.Timeout or EdgeKind.Error))
        {
            node.Steps[0][edge.Kind == EdgeKind.Timeout ? "onTimeout" : "onError"] = Target(edge.To, scope);
        }

        if (!node.Steps[0].ContainsKey("onError"))
        {
            node.Steps[0].Remove("errorResult");
        }
    }

    private void WriteFork(FlowNode fork, FlowScope inside)
    {
        var branches = new JsonArray();
        HashSet<string> taken = [];
        foreach (var edge in fork.Out.Where(edge => edge.Kind != EdgeKind.Otherwise))
        {
            var target = Target(edge.To, inside);
            var first = target;
            if (!taken.Add(target))
            {
                // Two branches may lead to one step; each begins with a step of its own.
                first = graph.Claim($"{fork.Key}_branch");
                Add(first, fork.Source,
                    new JsonObject { ["type"] = "set", ["values"] = new JsonObject(), ["next"] = target });
            }

            branches.Add(edge.When is null ? first : new JsonObject { ["when"] = edge.When, ["next"] = first });
        }

        var join = fork.Partner?.Key ?? JoinOf(fork);
        Add(fork.Key, fork.Source, fork.Kind == NodeKind.Fork
            ? new JsonObject { ["type"] = "fork", ["branches"] = branches, ["join"] = join }
            : new JsonObject
            {
                ["type"] = "inclusive", ["cases"] = branches, ["join"] = join,
                ["otherwise"] = Target(fork.Out.Single(edge => edge.Kind == EdgeKind.Otherwise).To, inside),
            });
        if (fork.Partner is null)
        {
            Add(join, fork.Source, new JsonObject { ["type"] = "join", ["next"] = Behind(fork, inside.Around) });
        }
    }

    // Where a fork without a join of its own goes on, once its last branch has ended.
    private string Behind(FlowNode fork, FlowScope? scope)
    {
        if (EndsAt(scope, fork.Area))
        {
            return JoinOf(scope!.Of);
        }

        var end = graph.Claim($"{fork.Key}_end");
        var node = new FlowNode(end, NodeKind.End, fork.Source, fork.Area);
        steps.End(node, null, terminate: false);
        Add(end, fork.Source, node.Steps[0]);
        return end;
    }

    /// <summary>The step at which a token that comes to a node goes on.</summary>
    private string Target(FlowNode to, FlowScope? scope)
    {
        var node = to;
        for (var passed = 0; passed <= graph.Nodes.Count; passed++)
        {
            switch (node.Kind)
            {
                case NodeKind.End when EndsAt(scope, node.Area):
                    return JoinOf(scope!.Of);
                case NodeKind.End:
                    if (!_written.ContainsKey(node.Key))
                    {
                        Add(node.Key, node.Source, node.Steps[0]);
                    }

                    return node.Key;
                case NodeKind.Sequence when node.Steps.Count == 0:
                    node = node.Out[0].To;
                    break;
                default:
                    return node.Key;
            }
        }

        findings.Add(to.Source,
            "This leads in a circle in which nothing is done. Put a task or an event into it, or remove it.");
        return to.Key;
    }

    private string JoinOf(FlowNode fork)
    {
        if (!_joins.TryGetValue(fork, out var join))
        {
            join = graph.Claim($"{fork.Key}_join");
            _joins.Add(fork, join);
        }

        return join;
    }

    /// <summary>Whether a token that ends in an area is a branch that nothing but the end joins.</summary>
    private static bool EndsAt(FlowScope? scope, FlowArea area) =>
        scope is { Of: { Splits: true, Partner: null } } && ReferenceEquals(scope.Of.Area, area);

    private void Add(string id, BpmnElement source, JsonObject step)
    {
        _written[id] = step;
        _sources[id] = source;
        Describe(step, source);
    }

    /// <summary>What a person calls it, and where it comes from; an exported step has that of its definition.</summary>
    public static void Describe(JsonObject step, BpmnElement source)
    {
        if (ExportedStep.Find(source) is { } exported)
        {
            ExportedStep.Overlay(step, exported, "title", "documentation", "source");
            return;
        }

        AddText(step, "title", source.Title, LongestTitle);
        AddText(step, "documentation", source.Model("documentation").FirstOrDefault()?.Text.Value,
            LongestDocumentation);
        var place = new JsonObject { ["line"] = source.Line };
        AddText(place, "element", source.Id, LongestTitle);
        step["source"] = place;
    }

    private static void AddText(JsonObject to, string member, string? text, int longest)
    {
        if (text?.Trim() is { Length: > 0 } trimmed)
        {
            to[member] = StoreLimits.Excerpt(trimmed, longest - 1);
        }
    }
}
