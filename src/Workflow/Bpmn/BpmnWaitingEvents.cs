namespace Workflow.Bpmn;

/// <summary>Events that end a wait: those at the border of an activity, and those behind an event-based gateway.</summary>
internal sealed class BpmnWaitingEvents(
    FlowGraph graph, Dictionary<string, (FlowNode Entry, FlowNode Exit)> places, ILookup<string, BpmnElement> outgoing,
    ILookup<string, BpmnElement> incoming, BpmnSteps steps, FindingList findings)
{
    public FlowNode? PlaceBoundary(BpmnElement element, FlowArea area)
    {
        if (Place(element.Id, element) is not { } host)
        {
            return null;
        }

        BpmnRules.Check(element, findings);
        var exit = graph.Add(element.Id!, NodeKind.Sequence, element, area);
        places.TryAdd(element.Id!, (exit, exit));
        var waiting = host.Steps.Count > 0 && host.Kind == NodeKind.Sequence ? host.Steps[0] : null;
        var type = waiting?["type"]?.GetValue<string>();
        var definition = BpmnRules.EventOf(element, findings);
        if (definition is { Kind: "errorEventDefinition" } && type is "invoke" or "call")
        {
            BoundaryError(element, definition, host, exit);
        }
        else if (definition is { Kind: "timerEventDefinition" } && type is "invoke" or "call" or "task" or "waitSignal"
            && element.Attribute("cancelActivity") != "false")
        {
            BoundaryTimer(element, definition, host, exit);
        }
        else
        {
            var isKnown = definition is { Kind: "timerEventDefinition" or "errorEventDefinition" }
                && element.Attribute("cancelActivity") != "false";
            findings.Add(element, (definition is null ? null : BpmnRules.RefusalOfEvent(definition.Kind)) ?? (isKnown
                ? $"This boundary event is not imported on a {host.Source.Kind}, which never waits here or fails by itself. Put it on "
                    + "a user, service, receive task or call activity (errors: service task or call activity)."
                : "Of boundary events only interrupting timers and errors are imported. Use an event-based gateway that waits for either, "
                    + "or a parallel branch."));
        }

        return exit;
    }

    private FlowNode? Place(string? id, BpmnElement boundary)
    {
        if (id is { Length: > 0 } && boundary.Attribute("attachedToRef") is { } attached && places.TryGetValue(attached, out var host))
        {
            return host.Entry;
        }

        findings.Add(boundary, "The boundary event has no id, or is attached to nothing that is imported. Attach it to a task.");
        return null;
    }

    private void BoundaryError(BpmnElement element, BpmnElement definition, FlowNode host, FlowNode exit)
    {
        if (definition.Attribute("errorRef") is not null)
        {
            findings.Add(element, "Boundary events for one error are not imported: an activity fails without a code. Catch all errors, "
                + "without errorRef, and decide behind it.");
        }
        else if (host.Out.Exists(edge => edge.Kind == EdgeKind.Error))
        {
            findings.Add(element, "Two boundary events catch every error. Keep one.");
        }

        FlowGraph.Connect(host, exit, EdgeKind.Error, element);
    }

    private void BoundaryTimer(BpmnElement element, BpmnElement timer, FlowNode host, FlowNode exit)
    {
        var due = steps.Timer(element, timer);
        if (due is var (member, value) && (member != "duration" || value.ToString().StartsWith('=')))
        {
            findings.Add(element, "A timer on an activity takes a duration that is always the same, e.g. PT30S; dates and expressions "
                + "are not imported. Use an event-based gateway that waits for either.");
        }
        else if (host.Steps[0].ContainsKey("timeout"))
        {
            findings.Add(element, "Two timers interrupt this activity. Keep the one that is due first.");
        }
        else if (due is not null)
        {
            host.Steps[0]["timeout"] = due.Value.Value;
        }

        FlowGraph.Connect(host, exit, EdgeKind.Timeout, element);
    }

    /// <summary>An event-based gateway waits for one message or signal, and for a time at most.</summary>
    public void ConnectChoice(BpmnElement element, FlowNode gateway)
    {
        var events = outgoing[element.Id!].Select(flow => element.Parent!.Children.Find(other => other.Id == flow.Attribute("targetRef")))
            .OfType<BpmnElement>().ToList();
        var caught = events.Where(other => other.Is("receiveTask") || Catches(other, "messageEventDefinition", "signalEventDefinition"))
            .ToList();
        var timers = events.Where(other => Catches(other, "timerEventDefinition")).ToList();
        if (element.Attribute("instantiate") == "true" || element.Attribute("eventGatewayType") == "Parallel"
            || caught.Count != 1 || timers.Count != 1 || events.Count != 2
            || events.Exists(other => incoming[other.Id!].Count() != 1
                || !places.TryGetValue(other.Id!, out var place) || place.Entry.Out.Exists(edge => edge.Kind != EdgeKind.Next)))
        {
            findings.Add(element, "An event-based gateway is imported where it waits for one message or signal, and one timer, each with "
                + "this flow only. Use one message whose content says what happened, or a boundary timer.");
            return;
        }

        var (message, timer) = (caught[0], timers[0]);
        var (behind, late) = (places[message.Id!].Entry, places[timer.Id!].Entry);
        if (message.Is("receiveTask"))
        {
            gateway.Steps.AddRange(behind.Steps);
        }
        else
        {
            steps.Wait(gateway, message, BpmnRules.EventOf(message, findings)!);
        }

        // What is received becomes variables on the way of the message only.
        behind.Steps.Clear();
        behind.Steps.AddRange(gateway.Steps.Skip(1));
        gateway.Steps.RemoveRange(1, gateway.Steps.Count - 1);
        gateway.Kind = NodeKind.Sequence;
        var due = steps.Timer(timer, BpmnRules.EventOf(timer, findings)!);
        if (due is var (member, value) && (member != "duration" || value.ToString().StartsWith('=')))
        {
            findings.Add(timer, "Behind an event-based gateway a timer takes a duration that is always the same, e.g. PT30S. Write it, or "
                + "wait for a message that somebody sends then.");
        }
        else if (due is not null)
        {
            gateway.Steps[0]["timeout"] = due.Value.Value;
        }

        gateway.Out.ForEach(edge => edge.To.In.Remove(edge));
        gateway.Out.Clear();
        FlowGraph.Connect(gateway, behind, EdgeKind.Next, element);
        FlowGraph.Connect(gateway, late, EdgeKind.Timeout, element);
    }

    private bool Catches(BpmnElement element, params ReadOnlySpan<string> definitions) => element.Is("intermediateCatchEvent")
        && BpmnRules.EventOf(element, findings) is { } definition && definitions.Contains(definition.Kind);
}
