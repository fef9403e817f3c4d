namespace Workflow.Bpmn;

/// <summary>
/// What the sequence flows out of an element mean: the next step, a decision, branches, or an end where there is none.
/// </summary>
internal sealed class BpmnFlows(ProcessMap map, BpmnSteps steps, BpmnExpressions expressions, FindingList findings)
{
    public bool IsDecision(BpmnElement gateway) =>
        map.Outgoing[gateway.Id!].Count() > 1 || map.Outgoing[gateway.Id!].Any(flow => ConditionOf(flow) is not null);

    public void Check(BpmnElement flow, BpmnElement around)
    {
        BpmnRules.Check(flow, findings);
        foreach (var end in new[] { "sourceRef", "targetRef" })
        {
            var id = flow.Attribute(end);
            if (id is null
                || !around.Children.Exists(child => child.Id == id && BpmnRules.DoesSomething(child)
                    && !child.Is("sequenceFlow")))
            {
                findings.Add(flow, id is null ? $"The flow has no {end}. Draw it again."
                    : $"The flow's {end} '{BpmnExpressions.Shown(id)}' is no element of the same {around.Kind}. "
                        + BpmnReferences.Missing(flow, id, "Draw it again."));
            }
        }

        if (around.Children.Find(
            child => child.Id == flow.Attribute("targetRef")) is { Kind: "startEvent" or "boundaryEvent" } target)
        {
            findings.Add(flow, $"A flow leads into a {target.Kind}. Lead it to the element behind.");
        }

        if (around.Children.Exists(child => BpmnRules.IsEventSubProcess(child)
            && (child.Id == flow.Attribute("targetRef")
            || child.Id == flow.Attribute("sourceRef"))))
        {
            findings.Add(flow, "A flow leads into an event sub-process or out of it. Remove it: the sub-process begins "
                + "by the event of its start, and ends by itself.");
        }
    }

    public void Connect(BpmnElement element, FlowNode exit)
    {
        var flows = Ordered(element);
        if (exit.Kind == NodeKind.End)
        {
            steps.End(exit, element, terminate: false);
        }
        else if (exit.Kind == NodeKind.Stop)
        {
            return;
        }
        else if (flows.Count == 0)
        {
            AddEnd(element, exit);
        }
        else if ((exit.Kind == NodeKind.Decide && element.Is("exclusiveGateway")) || exit.Kind == NodeKind.Inclusive)
        {
            ConnectCases(element, exit, flows);
        }
        else if (exit.Kind == NodeKind.Decide || element.Is("eventBasedGateway"))
        {
            // Refused, or connected once all its events are there: until then nothing behind it is out of reach.
            exit.Kind = NodeKind.Decide;
            flows.ForEach(flow => Lead(exit, flow, EdgeKind.Case, "= false"));
        }
        else if (flows.Exists(flow => ConditionOf(flow) is not null))
        {
            ConnectConditional(element, exit, flows);
        }
        else if (flows.Count == 1 && exit.Kind != NodeKind.Fork)
        {
            Lead(exit, flows[0], EdgeKind.Next);
        }
        else
        {
            Split(element, exit, flows);
        }
    }

    private void Split(BpmnElement element, FlowNode exit, List<BpmnElement> flows)
    {
        var fork = exit;
        if (exit.Kind != NodeKind.Fork)
        {
            // Several flows out of anything but a gateway are branches too.
            fork = map.Graph.Add($"{exit.Key}_split", NodeKind.Fork, element, exit.Area);
            FlowGraph.Connect(exit, fork, EdgeKind.Next, element);
        }

        flows.ForEach(flow => Lead(fork, flow, EdgeKind.Branch));
    }

    private void ConnectConditional(BpmnElement element, FlowNode exit, List<BpmnElement> flows)
    {
        if (exit.Kind is NodeKind.Fork or NodeKind.Join || element.Is("parallelGateway"))
        {
            findings.Add(flows.Find(flow => ConditionOf(flow) is not null)!, "A parallel gateway takes every flow, "
                + "whatever its condition says. Remove the condition, or put an exclusive gateway into the branch.");
            Split(element, exit, flows);
            return;
        }

        // Of the flows out of an activity each is taken whose condition is true, and each that has none.
        var split = map.Graph.Add($"{exit.Key}_choice", NodeKind.Inclusive, element, exit.Area);
        FlowGraph.Connect(exit, split, EdgeKind.Next, element);
        ConnectCases(element, split, flows);
    }

    private void ConnectCases(BpmnElement element, FlowNode decide, List<BpmnElement> flows)
    {
        var wanted = element.Attribute("default");
        var otherwise = wanted is null ? null : flows.Find(flow => flow.Id == wanted);
        if (wanted is not null && otherwise is null)
        {
            findings.Add(element, $"The default flow '{BpmnExpressions.Shown(wanted)}' does not lead out of it. "
                + BpmnReferences.Missing(element, wanted, "Name one of its flows."));
        }

        foreach (var flow in flows)
        {
            var condition = ConditionOf(flow);
            if (flow == otherwise)
            {
                if (condition is not null)
                {
                    findings.Add(
                        flow, "The default flow has a condition. Remove it: the flow is taken where no other is.");
                }

                continue;
            }

            if (condition is null && !IsActivity(element))
            {
                findings.Add(flow, "The flow has no condition and is not the default. Give it a condition, or make it "
                    + "the default flow.");
            }

            Lead(decide, flow, EdgeKind.Case,
                condition is null ? "= true" : expressions.Condition(condition) ?? "= false");
        }

        if (otherwise is not null)
        {
            Lead(decide, otherwise, EdgeKind.Otherwise);
            return;
        }

        var none = map.Graph.Add($"{decide.Key}_none", NodeKind.Stop, element, decide.Area);
        var who = $"{element.Kind} '{BpmnExpressions.Shown(element.Id!)}'";
        none.Steps.Add(
            new JsonObject
            { ["type"] = "fail", ["error"] = $"No condition of {who} is true, and no flow is its default." });
        FlowGraph.Connect(decide, none, EdgeKind.Otherwise, element);
    }

    /// <summary>A token that nothing leads on ends there.</summary>
    public void AddEnd(BpmnElement element, FlowNode exit)
    {
        var end = map.Graph.Add($"{exit.Key}_end", NodeKind.End, element, exit.Area);
        FlowGraph.Connect(exit, end, exit.Kind == NodeKind.Fork ? EdgeKind.Branch : EdgeKind.Next, element);
        steps.End(end, null, terminate: false);
    }

    private void Lead(FlowNode from, BpmnElement flow, EdgeKind kind, string? when = null)
    {
        if (flow.Attribute("targetRef") is { } id && map.Places.TryGetValue(id, out var target))
        {
            FlowGraph.Connect(from, target.Entry, kind, flow, when);
        }
    }

    private static bool IsActivity(BpmnElement element) => !element.Kind.EndsWith("Gateway", StringComparison.Ordinal);

    private static BpmnElement? ConditionOf(BpmnElement flow) => flow.Model("conditionExpression").FirstOrDefault();

    // Camunda 8 tries conditions in the order in which the gateway lists its flows, others in that of the file.
    private List<BpmnElement> Ordered(BpmnElement element)
    {
        List<BpmnElement> flows = [.. map.Outgoing[element.Id!]];
        var listed = element.Model("outgoing").Select(flow => flow.Text.Value.Trim()).ToList();
        return expressions.Dialect == BpmnDialect.Camunda8
            && flows.TrueForAll(flow => flow.Id is not null && listed.Contains(flow.Id))
            ? [.. flows.OrderBy(flow => listed.IndexOf(flow.Id!))]
            : flows;
    }
}
