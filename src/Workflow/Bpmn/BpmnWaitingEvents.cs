using Workflow.Abstractions.Definitions;

namespace Workflow.Bpmn;

/// <summary>
/// Events that end a wait: those at the border of an activity, and those behind an event-based gateway.
/// </summary>
internal sealed class BpmnWaitingEvents(ProcessMap map, BpmnSteps steps, FindingList findings)
{
    /// <summary>Events that one step waits for at most.</summary>
    private const int MaxEvents = 32;

    private const string ErrorCode = "errorCodeVariable";
    private const string ErrorMessage = "errorMessageVariable";

    /// <summary>
    /// In both Camundas an event without a code catches every error, but no failure of a job, which is nobody's error.
    /// </summary>
    private readonly bool _catchesFailures = steps.Dialect == BpmnDialect.Plain;

    /// <summary>The steps that end by an event at their border, and those of them that fail.</summary>
    private static readonly HashSet<string> Waiting =
        ["invoke", "call", "callEach", "task", "waitSignal", "subProcess"];
    private static readonly HashSet<string> Failing = ["invoke", "call", "callEach", "subProcess"];

    /// <summary>
    /// Of each activity the codes that are caught, null for every error; where each leads, and what sets variables.
    /// </summary>
    private readonly Dictionary<
        FlowNode, List<(string? Code, FlowNode To, FlowNode Sets, BpmnElement Element)>> _errors = [];

    public FlowNode? PlaceBoundary(BpmnElement element, FlowArea area)
    {
        if (Place(element.Id, element) is not { } host)
        {
            return null;
        }

        BpmnRules.Check(element, findings);
        var exit = map.Graph.Add(element.Id!, NodeKind.Sequence, element, area);
        map.Places.TryAdd(element.Id!, (exit, exit));
        var waiting = host.Steps.Count > 0 && host.Kind == NodeKind.Sequence
            ? host.Steps[0]["type"]!.GetValue<string>()
            : "";
        var definition = BpmnRules.EventOf(element, findings);
        switch (definition)
        {
            case { Kind: "errorEventDefinition" } when Failing.Contains(waiting):
                AddError(element, definition, host, exit, exit);
                break;
            case { Kind: "timerEventDefinition" } when Waiting.Contains(waiting):
                BoundaryTimer(element, definition, host, exit);
                break;
            case { Kind: "messageEventDefinition" or "signalEventDefinition" } when Waiting.Contains(waiting):
                var occurs = Occurrence(element, definition);
                steps.AddEvent(exit, occurs, element, definition);
                FlowGraph.Connect(host, exit, EdgeKind.Event, element, null, occurs);
                break;
            default:
                var refusal = definition is null ? "The boundary event has no trigger: nothing says what happens "
                + "there. Give it a timer, a "
                    + "message, a signal or an error: <timerEventDefinition>, <messageEventDefinition> and so on."
                    : BpmnRules.RefusalOfEvent(definition);
                if (refusal is not null || waiting.Length > 0 || !findings.Concerns(host.Source))
                {
                    findings.Add(element, refusal
                        ?? $"This boundary event is not imported on a {host.Source.Kind}, which never waits here or "
                        + "fails by itself. Put a "
                        + "timer, a message or a signal on a user, service, receive task, call activity or "
                        + "sub-process, and an error on a service task, call activity or sub-process.");
                }

                // What follows it is reached, as drawn: a finding there would be about nothing.
                FlowGraph.Connect(host, exit, EdgeKind.Event, element, null, []);
                break;
        }

        return exit;
    }

    /// <summary>
    /// An event sub-process begins by its start event, instead of what runs in the host or beside it.
    /// </summary>
    /// <param name="handler">The sub-process.</param>
    /// <param name="entry">Its start event, where variables are set.</param>
    public void PlaceHandler(BpmnElement start, FlowNode host, FlowNode handler, FlowNode entry)
    {
        var definition = BpmnRules.EventOf(start, findings);
        if (BpmnRules.EventsOf(start).Count > 1)
        {
            findings.Add(
                start, "An event sub-process with several triggers is not imported. Make one for each of them.");
        }

        JsonObject occurs = start.Flag("isInterrupting", otherwise: true) ? [] : new() { ["interrupting"] = false };
        switch (definition)
        {
            case { Kind: "errorEventDefinition" } when occurs.Count == 0:
                steps.RefuseData(start);
                AddError(start, definition, host, handler, entry);
                return;
            case { Kind: "timerEventDefinition" }:
                steps.RefuseData(start);
                if (steps.Timer(start, definition) is var (member, value))
                {
                    occurs[member] = value;
                }

                break;
            case { Kind: "messageEventDefinition" or "signalEventDefinition" }:
                steps.AddEvent(entry, occurs, start, definition);
                if (occurs.ContainsKey("interrupting") && steps.Dialect != BpmnDialect.Plain)
                {
                    // In both Camundas it begins again while one of it runs, also where nothing else does; by the
                    // standard it does not.
                    FlowGraph.Connect(handler, handler, EdgeKind.Event, start, null, occurs);
                }

                break;
            default:
                findings.Add(start, (definition is null ? null : BpmnRules.RefusalOfEvent(definition))
                    ?? "An event sub-process begins by a message, a signal, a timer, or an error that interrupts. Give "
                    + "its start event one of these.");
                break;
        }

        FlowGraph.Connect(host, handler, EdgeKind.Event, start, null, occurs);
    }

    private void AddError(BpmnElement element, BpmnElement definition, FlowNode host, FlowNode to, FlowNode sets)
    {
        _errors.TryAdd(host, []);
        _errors[host].Add((steps.ErrorCode(definition), to, sets, element));
    }

    /// <summary>
    /// An activity fails with one error: what catches its code goes on, else what catches every error; else it fails
    /// on.
    /// </summary>
    public void ConnectErrors()
    {
        foreach (var (host, caught) in _errors)
        {
            foreach (var twice in caught.GroupBy(one => one.Code).Where(same => same.Count() > 1))
            {
                findings.Add(twice.Last().Element, "Two boundary events catch the same error. Keep one.");
            }

            var any = caught.Find(one => one.Code is null);
            if (caught.TrueForAll(one => one.Code is null) && _catchesFailures && !NamesError(any.Element))
            {
                FlowGraph.Connect(host, any.To, EdgeKind.Error, any.Element);
                continue;
            }

            var error = host.Steps[0]["errorResult"]?.ToString() ?? BpmnMappings.VariableOf(host.Key, "error");
            host.Steps[0]["errorResult"] = error;
            var decide = map.Graph.Add($"{host.Key}_caught", NodeKind.Decide, host.Source, host.Area);
            FlowGraph.Connect(host, decide, EdgeKind.Error, host.Source);
            foreach (var (code, to, sets, element) in caught.Where(one => one.Code is not null))
            {
                AssignError(sets, element, error);
                FlowGraph.Connect(
                    decide, to, EdgeKind.Case, element, $"= {error}.code = {TemplateText.Quoted(code!)}");
            }

            if (any.To is not null)
            {
                AssignError(any.Sets, any.Element, error);
                FlowGraph.Connect(decide, any.To, _catchesFailures ? EdgeKind.Otherwise : EdgeKind.Case, any.Element,
                    _catchesFailures ? null : $"= {error}.code != null");
            }

            if (any.To is not null && _catchesFailures)
            {
                continue;
            }

            var on = map.Graph.Add($"{host.Key}_failed", NodeKind.Stop, host.Source, host.Area);
            on.Steps.Add(
                new JsonObject { ["type"] = "fail", ["code"] = $"= {error}.code", ["error"] = $"= {error}.message" });
            FlowGraph.Connect(decide, on, EdgeKind.Otherwise, host.Source);
        }
    }

    private static bool NamesError(BpmnElement element) =>
        BpmnRules.EventsOf(element)[0].Attributes.Exists(attribute => attribute.Name is ErrorCode or ErrorMessage);

    // Camunda 7 names the variables that take code and message.
    private void AssignError(FlowNode exit, BpmnElement element, string error)
    {
        var values = new JsonObject();
        foreach (var (attribute, member) in new[] { (ErrorCode, "code"), (ErrorMessage, "message") })
        {
            var name = BpmnRules.EventsOf(element)[0].Attribute(attribute, BpmnNamespace.Camunda);
            if (name is not null && steps.IsVariable(element, name))
            {
                values[name] = $"= {error}.{member}";
            }
        }

        if (values.Count > 0)
        {
            exit.Steps.Add(new JsonObject { ["type"] = "set", ["values"] = values });
        }
    }

    private static JsonObject Occurrence(BpmnElement boundary, BpmnElement definition)
    {
        var occurs = new JsonObject();
        var isWritten = ExportedStep.Of(definition, "event")?.ContainsKey("interrupting") == true;
        var interrupts = boundary.Flag("cancelActivity", otherwise: true);
        if (isWritten || !interrupts)
        {
            occurs["interrupting"] = interrupts;
        }

        return occurs;
    }

    private FlowNode? Place(string? id, BpmnElement boundary)
    {
        var attached = boundary.Attribute("attachedToRef");
        if (id is { Length: > 0 } && attached is not null && map.Places.TryGetValue(attached, out var host))
        {
            return host.Entry;
        }

        if (id is not { Length: > 0 })
        {
            findings.Add(boundary, "The boundary event has no id. Give it one that no other element has.");
        }
        else if (attached is null)
        {
            findings.Add(
                boundary, "The boundary event is attached to nothing. Name its activity: attachedToRef=\"taskId\".");
        }
        else
        {
            findings.Add(boundary,
                $"The boundary event is attached to '{BpmnExpressions.Shown(attached)}', which is no activity that is "
                    + "imported. "
                + BpmnReferences.Missing(
                    boundary, attached, "Attach it to a task, a call activity or a sub-process beside it."));
        }

        return null;
    }

    private void BoundaryTimer(BpmnElement element, BpmnElement timer, FlowNode host, FlowNode exit)
    {
        if (steps.Timer(element, timer) is not var (member, value))
        {
            FlowGraph.Connect(host, exit, EdgeKind.Event, element, null, []);
            return;
        }

        var occurs = Occurrence(element, timer);
        if (member == "duration" && !value.ToString().StartsWith('=') && occurs.Count == 0
            && !host.Steps[0].ContainsKey("timeout")
            && ExportedStep.Of(timer, "event") is null)
        {
            host.Steps[0]["timeout"] = value;
            FlowGraph.Connect(host, exit, EdgeKind.Timeout, element);
            return;
        }

        occurs[member] = value;
        FlowGraph.Connect(host, exit, EdgeKind.Event, element, null, occurs);
    }

    /// <summary>An event-based gateway waits for the first of the events behind it.</summary>
    public void ConnectChoice(BpmnElement element, FlowNode gateway)
    {
        var events = map.Outgoing[element.Id!]
            .Select(flow => element.Parent!.Children.Find(other => other.Id == flow.Attribute("targetRef")))
            .OfType<BpmnElement>().ToList();
        if (element.Flag("instantiate") || element.Attribute("eventGatewayType") == "Parallel"
            || events.Count is 0 or > MaxEvents || !events.TrueForAll(IsWaitedFor))
        {
            findings.Add(element, $"An event-based gateway is imported where it leads to 1 to {MaxEvents} catch events "
                + "(message, signal, "
                + "timer) or receive tasks, each with this flow only and without boundary events. Lead each flow to "
                + "one of these.");
            return;
        }

        gateway.Kind = NodeKind.Sequence;
        gateway.Steps.Add(new JsonObject { ["type"] = "waitFirst" });
        gateway.Out.ForEach(edge => edge.To.In.Remove(edge));
        gateway.Out.Clear();
        foreach (var other in events)
        {
            var (behind, occurs) = (map.Places[other.Id!].Entry, new JsonObject());
            var definition = other.Is("receiveTask") ? other : BpmnRules.EventOf(other, findings)!;
            if (!definition.Is("timerEventDefinition"))
            {
                steps.AddEvent(behind, occurs, other, definition);
            }
            else if (steps.Timer(other, definition) is var (member, value))
            {
                occurs[member] = value;
            }

            FlowGraph.Connect(gateway, behind, EdgeKind.Event, other, null, occurs);
        }
    }

    private bool IsWaitedFor(BpmnElement element) => map.Incoming[element.Id!].Count() == 1
        && map.Places.TryGetValue(element.Id!, out var place) && place.Entry.Steps.Count == 0
        && place.Entry.Out.TrueForAll(edge => edge.Kind == EdgeKind.Next)
        && (element.Is("receiveTask") || (element.Is("intermediateCatchEvent") && BpmnRules.EventOf(element, findings)
            is { Kind: "messageEventDefinition" or "signalEventDefinition" or "timerEventDefinition" }));
}
