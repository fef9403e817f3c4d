using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;

namespace Workflow.Diagrams.Graphs;

/// <summary>Reads the graph of a definition.</summary>
public static class GraphBuilder
{
    public static DiagramGraph Build(WorkflowDefinition definition)
    {
        var signals = definition.StartOn.Count == 0 ? null
            : $"signal {string.Join(", ", definition.StartOn.Select(start => start.Signal))}";
        List<DiagramNode> nodes =
            [new(DiagramNode.StartId, NodeKind.Start, "start", signals,
                signals is null ? "Start" : $"Start, also by {signals}")];
        List<DiagramEdge> edges =
            [new($"{DiagramNode.StartId}:next", DiagramNode.StartId, definition.Start, EdgeKind.Next, null)];
        var parents = Parents(definition);
        foreach (var step in Walk(definition))
        {
            var parent = parents.GetValueOrDefault(step.Id);
            var place = parent is null ? "" : $", inside {NameOf(definition.Steps[parent])}";
            var (kind, subtitle) = Describe(step);
            var name = NameOf(step);
            var description = subtitle is null ? $"{name}: {step.Type}" : $"{name}: {step.Type} {subtitle}";
            nodes.Add(new DiagramNode(step.Id, kind, TitleOf(step), subtitle, description + place)
            {
                Parent = parent, Element = step.Source?.Element,
            });
            if (step is WaitFirstStep first)
            {
                nodes.AddRange(
                    first.Events.Select((waited, i) =>
                        EventNode(EventId(step, i), waited, place) with { Parent = parent }));
            }
            else if (step is SubProcessStep)
            {
                var start = DiagramNode.StartOf(step.Id);
                nodes.Add(
                    new DiagramNode(start, NodeKind.Start, "start", null, $"{start}: start of {name}")
                    { Parent = step.Id });
            }

            edges.AddRange(Exits(step));
        }

        return new DiagramGraph(definition.Name, definition.Version, nodes, edges);
    }

    /// <summary>
    /// Where a step leads, in the order written; the plain way on comes first, and before it the way into a
    /// sub-process.
    /// </summary>
    internal static IEnumerable<DiagramEdge> Exits(StepDefinition step)
    {
        if (step is SubProcessStep inner)
        {
            var start = DiagramNode.StartOf(step.Id);
            yield return new DiagramEdge($"{start}:next", start, inner.Start, EdgeKind.Next, null);
        }

        if (step is SequentialStep sequential)
        {
            yield return Edge(step, "next", sequential.Next, EdgeKind.Next, null);
        }

        if (CasesOf(step) is var (cases, otherwise))
        {
            for (var i = 0; i < cases.Count; i++)
            {
                yield return Edge(step, $"cases[{i}]", cases[i].Next, EdgeKind.Case, Bare(cases[i].When.Source));
            }

            yield return Edge(step, "otherwise", otherwise, EdgeKind.Otherwise, "otherwise");
        }

        if (step is ForkStep fork)
        {
            for (var i = 0; i < fork.Branches.Count; i++)
            {
                yield return Edge(step, $"branches[{i}]", fork.Branches[i], EdgeKind.Branch, null);
            }
        }

        if (step is WaitFirstStep first)
        {
            for (var i = 0; i < first.Events.Count; i++)
            {
                var waited = EventId(step, i);
                yield return new DiagramEdge($"{waited}:begin", step.Id, waited, EdgeKind.Event, null);
                yield return new DiagramEdge($"{waited}:next", waited, first.Events[i].Next, EdgeKind.Next, null);
            }
        }

        if (step is BoundedStep { OnTimeout: { } late, Timeout: { } timeout })
        {
            yield return Edge(step, "onTimeout", late, EdgeKind.Timeout, $"after {Shown(timeout)}");
        }

        if (((step as CallingStep)?.OnError ?? (step as SubProcessStep)?.OnError) is { } onError)
        {
            yield return Edge(step, "onError", onError, EdgeKind.Error, "error");
        }

        if (step is BoundedStep { Boundary: { } boundary })
        {
            for (var i = 0; i < boundary.Count; i++)
            {
                yield return Edge(step, $"boundary[{i}]", boundary[i].Next, KindOf(boundary[i]), Shown(boundary[i]));
            }
        }
    }

    /// <summary>The cases of a step and where it leads without one; null where it has none.</summary>
    internal static (IReadOnlyList<DecideCase> Cases, string Otherwise)? CasesOf(StepDefinition? step) => step switch
    {
        DecideStep decide => (decide.Cases, decide.Otherwise),
        InclusiveStep inclusive => (inclusive.Cases, inclusive.Otherwise),
        _ => null,
    };

    private static string TitleOf(StepDefinition step) =>
        string.IsNullOrWhiteSpace(step.Title) ? step.Id : step.Title;

    private static string NameOf(StepDefinition step) =>
        TitleOf(step) is var title && title == step.Id ? step.Id : $"{title} ({step.Id})";

    private static string EventId(StepDefinition step, int index) => $"{step.Id}:events[{index}]";

    private static DiagramNode EventNode(string id, StepEvent waited, string place) =>
        new(id, waited.Signal is null ? NodeKind.Delay : NodeKind.Signal, Shown(waited), null,
            $"{id}: {Shown(waited)}{place}");

    private static EdgeKind KindOf(StepEvent boundary) => (boundary.Signal, boundary.Interrupting) switch
    {
        (null, true) => EdgeKind.BoundaryTimer,
        (null, false) => EdgeKind.SideTimer,
        (_, true) => EdgeKind.BoundarySignal,
        _ => EdgeKind.SideSignal,
    };

    private static string Shown(StepEvent waited) => waited switch
    {
        { Signal: { } signal } => $"signal {signal}",
        { Duration: { } duration } => $"after {Shown(duration)}",
        _ => $"at {Shown(waited.Until!)}",
    };

    // Steps are kept by hash; a walk from the start gives them an order that an edit elsewhere does not change.
    private static IEnumerable<StepDefinition> Walk(WorkflowDefinition definition)
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var pending = new Stack<string>(definition.Steps.Keys.OrderDescending(StringComparer.Ordinal));
        pending.Push(definition.Start);
        while (pending.TryPop(out var id))
        {
            if (!seen.Add(id))
            {
                continue;
            }

            var step = definition.Steps[id];
            yield return step;
            foreach (var exit in Exits(step).Reverse().Where(exit => definition.Steps.ContainsKey(exit.To)))
            {
                pending.Push(exit.To);
            }
        }
    }

    // What the start reaches without entering a sub-process is in none; what the start of one reaches then is inside of
    // it.
    private static Dictionary<string, string?> Parents(WorkflowDefinition definition)
    {
        var parents = new Dictionary<string, string?>(StringComparer.Ordinal);
        var scopes = new Queue<(string? Parent, string Start)>([(null, definition.Start)]);
        while (scopes.TryDequeue(out var scope))
        {
            var pending = new Stack<string>([scope.Start]);
            while (pending.TryPop(out var id))
            {
                if (!definition.Steps.TryGetValue(id, out var step) || !parents.TryAdd(id, scope.Parent))
                {
                    continue;
                }

                if (step is SubProcessStep inner)
                {
                    scopes.Enqueue((id, inner.Start));
                }

                foreach (var exit in Exits(step).Where(exit => exit.From != DiagramNode.StartOf(id)))
                {
                    pending.Push(exit.To);
                }
            }
        }

        return parents;
    }

    private static DiagramEdge Edge(StepDefinition step, string member, string to, EdgeKind kind, string? label) =>
        new($"{step.Id}:{member}", step.Id, to, kind, label);

    private static (NodeKind Kind, string? Subtitle) Describe(StepDefinition step) => step switch
    {
        SetStep set => (NodeKind.Set, string.Join(", ", set.Values.Select(value => value.Key))),
        DecideStep => (NodeKind.Decide, null),
        ForkStep => (NodeKind.Fork, null),
        InclusiveStep => (NodeKind.Inclusive, null),
        JoinStep => (NodeKind.Join, null),
        WaitFirstStep => (NodeKind.WaitFirst, null),
        WaitSignalStep wait => (NodeKind.WaitSignal, $"signal {wait.Signal}"),
        DelayStep { Duration: { } duration } => (NodeKind.Delay, Shown(duration)),
        DelayStep delay => (NodeKind.Delay, $"until {Shown(delay.Until!)}"),
        TaskStep task => (NodeKind.Task, Person(task)),
        InvokeStep invoke => (NodeKind.Invoke, $"activity {invoke.Activity}"),
        CallStep { Version: { } version } call =>
            (NodeKind.Call, string.Create(CultureInfo.InvariantCulture, $"{call.Definition} v{version}")),
        CallStep call => (NodeKind.Call, call.Definition),
        CallEachStep each => (NodeKind.CallEach, Elements(each)),
        SubProcessStep => (NodeKind.SubProcess, null),
        RaiseStep raise => (NodeKind.Raise, raise.Event),
        EndStep { Terminate: true } => (NodeKind.Terminate, null),
        EndStep => (NodeKind.End, null),
        FailStep { Code: { } code } fail => (NodeKind.Fail, $"{Shown(code)}: {Shown(fail.Error)}"),
        FailStep fail => (NodeKind.Fail, Shown(fail.Error)),
        _ => (NodeKind.Other, step.Type),
    };

    private static string Elements(CallEachStep each)
    {
        var elements = each.Items is { } items ? $"for each of {Shown(items)}" : $"{Shown(each.Count!)} times";
        var version = each.Version is { } number ? string.Create(CultureInfo.InvariantCulture, $" v{number}") : "";
        var atOnce = each.MaxConcurrency switch
        {
            null => "",
            1 => ", one at a time",
            var most => string.Create(CultureInfo.InvariantCulture, $", {most} at a time"),
        };
        return $"{each.Definition}{version} {elements}{atOnce}";
    }

    private static string? Person(TaskStep task) => task switch
    {
        { Assignee: { } assignee } => Shown(assignee),
        { Groups: { } groups } => Shown(groups),
        _ => null,
    };

    private static string Shown(TimeSpan time) => System.Xml.XmlConvert.ToString(time);

    // As a reader would write it down: a text without quotes, an expression without its sign, a list without brackets.
    private static string Shown(Template template)
    {
        var root = Value.Parse(template.Source);
        return root.Kind == ValueKind.List ? string.Join(", ", root.AsList().Select(Part)) : Part(root);

        static string Part(Value value) => value.Kind == ValueKind.String ? Bare(value.AsString()) : value.ToString();
    }

    private static string Bare(string text) => text.StartsWith('=') ? text[1..].Trim() : text.Trim();
}
