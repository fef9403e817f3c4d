namespace Workflow.Bpmn;

/// <summary>Start, end, catch and throw events, and the links between them.</summary>
internal sealed class BpmnEvents(ProcessMap map, BpmnSteps steps, BpmnMappings mappings, FindingList findings)
{
    private readonly Dictionary<(BpmnElement Around, string Name), FlowNode> _links = [];
    private readonly List<(BpmnElement Element, BpmnElement Around, FlowNode Node)> _jumps = [];

    public void Start(BpmnElement element)
    {
        var trigger = BpmnRules.EventOf(element, findings);
        if (BpmnRules.IsEventSubProcess(element.Parent!))
        {
            // Read with the sub-process that it begins.
            return;
        }

        mappings.RefuseAll(element);
        if (trigger is { Kind: "messageEventDefinition" or "signalEventDefinition" } && element.Parent!.Is("process"))
        {
            map.Graph.StartSignals.AddRange(
                BpmnRules.EventsOf(element).Select(one => (steps.StartSignal(one), element)));
            return;
        }

        if (trigger is not { } definition)
        {
            return;
        }

        findings.Add(element, definition.Kind switch
        {
            "timerEventDefinition" when element.Parent!.Is("process") =>
                "Timer starts are not imported: nothing here starts instances by "
                + "itself. Use a start event without a trigger, and let a scheduler send POST /instances.",
            _ => BpmnRules.RefusalOfEvent(definition)
                ?? $"A start event with '{definition.Kind}' is not imported here. Use one without a trigger.",
        });
    }

    public void End(BpmnElement element, FlowNode node)
    {
        var isStop = true;
        switch (BpmnRules.EventOf(element, findings))
        {
            case null:
                mappings.RefuseAll(element);
                isStop = false;
                node.Kind = NodeKind.End;
                break;
            case var definition when definition.Is("errorEventDefinition"):
                steps.Fail(node, element, definition);
                break;
            case var definition when definition.Is("terminateEventDefinition"):
                steps.End(node, element, terminate: true);
                break;
            case var definition when definition.Is("messageEventDefinition") || definition.Is("signalEventDefinition"):
                isStop = false;
                ThrowBy(element, node, definition);
                break;
            case var definition:
                findings.Add(element, BpmnRules.RefusalOfEvent(definition)
                    ?? $"An end event with '{definition.Kind}' is not imported. Use a plain end event.");
                break;
        }

        node.Kind = isStop ? NodeKind.Stop : node.Kind;
        if (map.Outgoing.Contains(element.Id!))
        {
            findings.Add(
                element, "A flow leads out of an end event. Remove it, or make the event an intermediate one.");
        }
    }

    public void Catch(BpmnElement element, FlowNode node)
    {
        switch (BpmnRules.EventOf(element, findings))
        {
            case { Kind: "messageEventDefinition" or "signalEventDefinition" } definition:
                if (!IsChosen(element))
                {
                    steps.Wait(node, element, definition);
                }

                break;
            case { Kind: "timerEventDefinition" } timer:
                mappings.RefuseAll(element);
                if (!IsChosen(element))
                {
                    steps.Delay(node, element, timer);
                }

                break;
            case { Kind: "linkEventDefinition" } link:
                if (IsNamed(link) && !_links.TryAdd((element.Parent!, link.Attribute("name") ?? ""), node))
                {
                    findings.Add(element, "Two link events of this name catch. Give each a name of its own.");
                }

                break;
            case var definition:
                findings.Add(
                    element, definition is null ? "The event catches nothing. Give it a message, a signal or a timer."
                    : BpmnRules.RefusalOfEvent(definition)
                    ?? $"A catch event with '{definition.Kind}' is not imported. Use a message, a signal or a timer.");
                break;
        }
    }

    /// <summary>Whether an event-based gateway waits for it, with others.</summary>
    public bool IsChosen(BpmnElement element) => map.Incoming[element.Id!].Any(flow =>
        flow.Parent!.Model("eventBasedGateway").Any(gateway => gateway.Id == flow.Attribute("sourceRef")));

    public void Throw(BpmnElement element, FlowNode node)
    {
        switch (BpmnRules.EventOf(element, findings))
        {
            case null:
                mappings.RefuseAll(element);
                break;
            case { Kind: "messageEventDefinition" or "signalEventDefinition" } definition:
                ThrowBy(element, node, definition);
                break;
            case { Kind: "linkEventDefinition" } link:
                if (IsNamed(link))
                {
                    _jumps.Add((link, element.Parent!, node));
                }

                break;
            case var definition:
                findings.Add(element, BpmnRules.RefusalOfEvent(definition)
                    ?? $"A throw event with '{definition.Kind}' is not imported. Use a message or a signal.");
                break;
        }
    }

    private bool IsNamed(BpmnElement link)
    {
        if (link.Attribute("name") is { Length: > 0 })
        {
            return true;
        }

        findings.Add(link, "The link has no name, by which those that throw find the one that catches. Give all of "
            + "them the same: <linkEventDefinition name=\"next page\" />.");
        return false;
    }

    private void ThrowBy(BpmnElement element, FlowNode node, BpmnElement definition)
    {
        if (definition.Is("signalEventDefinition") || !steps.Invoke(node, element, definition))
        {
            steps.Raise(node, element, definition);
        }
    }

    /// <summary>
    /// Leads each link that throws to the one of its name, in the same process or sub-process, that catches.
    /// </summary>
    public void ConnectLinks()
    {
        foreach (var (link, around, node) in _jumps)
        {
            if (!_links.TryGetValue((around, link.Attribute("name") ?? ""), out var target))
            {
                findings.Add(
                    link, $"No link event of this name catches in the same {around.Kind}. Add one, or draw the flow.");
                continue;
            }

            // Nothing else leads out of it: the end that stands there for want of a flow goes.
            node.Out.ToList().ForEach(FlowGraph.Disconnect);
            FlowGraph.Connect(node, target, EdgeKind.Next, link);
        }
    }
}
