namespace Workflow.Bpmn;

/// <summary>
/// Sub-processes as steps of their own. What an event sub-process interrupts becomes a sub-process in its place, with
/// the event at its border and the event sub-process as what follows.
/// </summary>
internal sealed class BpmnScopes(
    ProcessMap map, BpmnSteps steps, BpmnMappings mappings, FindingList findings,
    Func<BpmnElement, FlowArea, FlowNode?> readArea)
{
    /// <summary>An embedded sub-process.</summary>
    public FlowNode Place(BpmnElement element, string wanted, FlowArea around)
    {
        mappings.RefuseAll(element);
        var host = map.AddScope(wanted, element, around);
        if (ExportedStep.Of(element, "subProcess") is { } exported)
        {
            ExportedStep.Overlay(host.Steps[0], exported);
        }

        Enter(host, element, Read(element, new FlowArea(isProcess: false)));
        return host;
    }

    /// <summary>What is in a process or sub-process.</summary>
    /// <returns>Where it begins; null when there is a finding about that.</returns>
    public FlowNode? Read(BpmnElement around, FlowArea area)
    {
        var handlers = around.Model("subProcess").Where(BpmnRules.IsEventSubProcess).ToList();
        if (handlers.Count == 0)
        {
            return readArea(around, area);
        }

        // Those that interrupt end those beside, too: these are inside of what is interrupted.
        var beside = handlers.Where(handler => !Interrupts(handler)).ToList();
        var all = beside.Count > 0 && beside.Count < handlers.Count
            ? map.AddScope($"{around.Id}_all", around, area)
            : null;
        var inside = all is null ? area : new FlowArea(isProcess: false);
        var body = map.AddScope($"{around.Id}_body", around, inside);
        var isAsked = beside.Count > 0 && around.Model("endEvent").Any(Terminates);
        var terminated = isAsked ? BpmnMappings.VariableOf(body.Key, "terminated") : null;
        Enter(body, around, readArea(around, new FlowArea(isProcess: false, terminated)));
        Leave(body, around, inside, terminated);
        if (all is not null)
        {
            Enter(all, around, body);
            Leave(all, around, area, null);
        }

        var events = new BpmnWaitingEvents(map, steps, findings);
        foreach (var handler in handlers)
        {
            CheckErrors(handler, handlers);
            Handle(handler, beside.Contains(handler) ? body : all ?? body, beside.Contains(handler) ? inside : area,
                events);
        }

        events.ConnectErrors();
        return all ?? body;
    }

    private void Handle(BpmnElement handler, FlowNode host, FlowArea area, BpmnWaitingEvents events)
    {
        BpmnRules.Check(handler, findings);
        mappings.RefuseAll(handler);
        if (handler.Id is not { Length: > 0 } id)
        {
            findings.Add(handler, "The event sub-process has no id. Give it one that no other element has.");
            return;
        }

        var scope = map.AddScope(id, handler, area);
        if (!map.Places.TryAdd(id, (scope, scope)))
        {
            findings.Add(
                handler, $"The id '{BpmnExpressions.Shown(id)}' is given twice. Give each element an id of its own.");
        }

        var entry = Read(handler, new FlowArea(isProcess: false));
        Enter(scope, handler, entry);
        Leave(scope, handler, area, null);
        var start = handler.Model("startEvent").FirstOrDefault();
        if (entry is not null && start?.Id is { } started && map.Places.TryGetValue(started, out var place))
        {
            events.PlaceHandler(start, host, scope, place.Entry);
        }
        else
        {
            FlowGraph.Connect(host, scope, EdgeKind.Event, handler, null, []);
        }
    }

    // In Camunda 7 an error inside of one that interrupts is caught by the others beside it, in Camunda 8 by none.
    private void CheckErrors(BpmnElement handler, List<BpmnElement> handlers)
    {
        if (steps.Dialect != BpmnDialect.Camunda8 && Interrupts(handler)
            && handlers.Find(other => other != handler && CatchesErrors(other)) is { } catcher
            && handler.All.Any(Throws))
        {
            findings.Add(handler, "An error in it would be for the event sub-process "
                + $"'{BpmnExpressions.Shown(catcher.Id ?? "")}' beside "
                + "it, which has ended by then here. Put what may fail into a sub-process with an error boundary event "
                + "of its own.");
        }
    }

    private static bool Throws(BpmnElement element) => element.Kind is "serviceTask" or "sendTask" or "callActivity"
        || (element.Is("endEvent")
            && BpmnRules.EventsOf(element).Exists(definition => definition.Is("errorEventDefinition")));

    private static bool Terminates(BpmnElement end) =>
        BpmnRules.EventsOf(end).Exists(definition => definition.Is("terminateEventDefinition"));

    private static bool CatchesErrors(BpmnElement handler) => handler.Model("startEvent").Any(start =>
        BpmnRules.EventsOf(start).Exists(definition => definition.Is("errorEventDefinition")));

    private static bool Interrupts(BpmnElement handler) =>
        handler.Model("startEvent").FirstOrDefault()?.Flag("isInterrupting", otherwise: true) != false;

    private static void Enter(FlowNode host, BpmnElement element, FlowNode? start)
    {
        if (start is not null)
        {
            FlowGraph.Connect(host, start, EdgeKind.Inside, element);
        }
    }

    // The token ends behind; where a terminate end event has ended it, with all others around.
    private void Leave(FlowNode host, BpmnElement element, FlowArea area, string? terminated)
    {
        var end = map.Graph.Add($"{host.Key}_end", NodeKind.End, element, area);
        steps.End(end, null, terminate: false);
        if (terminated is null)
        {
            FlowGraph.Connect(host, end, EdgeKind.Next, element);
            return;
        }

        var left = map.Graph.Add($"{host.Key}_left", NodeKind.Decide, element, area);
        var stop = map.Graph.Add($"{host.Key}_terminated", NodeKind.Stop, element, area);
        stop.Steps.Add(new JsonObject { ["type"] = "set", ["values"] = new JsonObject { [terminated] = false } });
        steps.End(stop, null, terminate: true);
        FlowGraph.Connect(host, left, EdgeKind.Next, element);
        FlowGraph.Connect(left, stop, EdgeKind.Case, element, $"= {terminated}");
        FlowGraph.Connect(left, end, EdgeKind.Otherwise, element);
    }
}
