using System.Text.Json.Nodes;

namespace Workflow.Bpmn;

/// <summary>Events that end a wait: those at the border of an activity, and those behind an event-based gateway.</summary>
internal sealed class BpmnWaitingEvents(
    FlowGraph graph, Dictionary<string, (FlowNode Entry, FlowNode Exit)> places, ILookup<string, BpmnElement> outgoing,
    ILookup<string, BpmnElement> incoming, BpmnSteps steps, FindingList findings)
{
    /// <summary>Events that one step waits for at most.</summary>
    private const int MaxEvents = 32;

    private const string ErrorCode = "errorCodeVariable";
    private const string ErrorMessage = "errorMessageVariable";

    /// <summary>In both Camundas an event without a code catches every error, but no failure of a job, which is nobody's error.</summary>
    private readonly bool _catchesFailures = steps.Dialect == BpmnDialect.Plain;

    /// <summary>The error events at the border of each activity, with the code that each catches; null catches every error.</summary>
    private readonly Dictionary<FlowNode, List<(string? Code, FlowNode Exit, BpmnElement Element)>> _errors = [];

    public FlowNode? PlaceBoundary(BpmnElement element, FlowArea area)
    {
        if (Place(element.Id, element) is not { } host)
        {
            return null;
        }

        BpmnRules.Check(element, findings);
        var exit = graph.Add(element.Id!, NodeKind.Sequence, element, area);
        places.TryAdd(element.Id!, (exit, exit));
        var waiting = host.Steps.Count > 0 && host.Kind == NodeKind.Sequence ? host.Steps[0]["type"]!.GetValue<string>() : "";
        var definition = BpmnRules.EventOf(element, findings);
        switch (definition)
        {
            case { Kind: "errorEventDefinition" } when waiting is "invoke" or "call" or "callEach":
                _errors.TryAdd(host, []);
                _errors[host].Add((CodeOf(element, definition), exit, element));
                break;
            case { Kind: "timerEventDefinition" } when waiting is "invoke" or "call" or "callEach" or "task" or "waitSignal":
                BoundaryTimer(element, definition, host, exit);
                break;
            case { Kind: "messageEventDefinition" or "signalEventDefinition" }
                when waiting is "invoke" or "call" or "callEach" or "task" or "waitSignal":
                var occurs = Occurrence(element, definition);
                steps.AddEvent(exit, occurs, element, definition);
                FlowGraph.Connect(host, exit, EdgeKind.Event, element, null, occurs);
                break;
            default:
                if (waiting.Length > 0 || !findings.Concerns(host.Source))
                {
                    findings.Add(element, (definition is null ? null : BpmnRules.RefusalOfEvent(definition.Kind))
                        ?? $"This boundary event is not imported on a {host.Source.Kind}, which never waits here or fails by itself. Put a "
                        + "timer, a message or a signal on a user, service, receive task or call activity, and an error on a service task "
                        + "or call activity.");
                }

                // What follows it is reached, as drawn: a finding there would be about nothing.
                FlowGraph.Connect(host, exit, EdgeKind.Event, element, null, []);
                break;
        }

        return exit;
    }

    /// <summary>An activity fails with one error: what catches its code goes on, else what catches every error; else it fails on.</summary>
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
                FlowGraph.Connect(host, any.Exit, EdgeKind.Error, any.Element);
                continue;
            }

            var error = host.Steps[0]["errorResult"]?.ToString() ?? BpmnMappings.VariableOf(host.Key, "error");
            host.Steps[0]["errorResult"] = error;
            var decide = graph.Add($"{host.Key}_caught", NodeKind.Decide, host.Source, host.Area);
            FlowGraph.Connect(host, decide, EdgeKind.Error, host.Source);
            foreach (var (code, exit, element) in caught.Where(one => one.Code is not null))
            {
                AssignError(exit, element, error);
                FlowGraph.Connect(decide, exit, EdgeKind.Case, element, $"= {error}.code = {ForeignExpression.Literal(code!)}");
            }

            if (any.Exit is not null)
            {
                AssignError(any.Exit, any.Element, error);
                FlowGraph.Connect(decide, any.Exit, _catchesFailures ? EdgeKind.Otherwise : EdgeKind.Case, any.Element,
                    _catchesFailures ? null : $"= {error}.code != null");
            }

            if (any.Exit is not null && _catchesFailures)
            {
                continue;
            }

            var on = graph.Add($"{host.Key}_failed", NodeKind.Stop, host.Source, host.Area);
            on.Steps.Add(new JsonObject { ["type"] = "fail", ["code"] = $"= {error}.code", ["error"] = $"= {error}.message" });
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

    private string? CodeOf(BpmnElement element, BpmnElement definition)
    {
        var code = steps.ErrorCode(definition);
        if (definition.Attribute("errorRef") is not null && string.IsNullOrEmpty(code))
        {
            findings.Add(element, "The error that it catches is not in the file, or has no errorCode. Give it one, or catch every error "
                + "without errorRef.");
        }

        return code;
    }

    private static JsonObject Occurrence(BpmnElement boundary, BpmnElement definition)
    {
        var occurs = new JsonObject();
        var isWritten = ExportedStep.Of(definition, "event")?.ContainsKey("interrupting") == true;
        var interrupts = boundary.Attribute("cancelActivity") != "false";
        if (isWritten || !interrupts)
        {
            occurs["interrupting"] = interrupts;
        }

        return occurs;
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

    private void BoundaryTimer(BpmnElement element, BpmnElement timer, FlowNode host, FlowNode exit)
    {
        if (steps.Timer(element, timer) is not var (member, value))
        {
            FlowGraph.Connect(host, exit, EdgeKind.Event, element, null, []);
            return;
        }

        var occurs = Occurrence(element, timer);
        if (member == "duration" && !value.ToString().StartsWith('=') && occurs.Count == 0 && !host.Steps[0].ContainsKey("timeout")
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
        var events = outgoing[element.Id!].Select(flow => element.Parent!.Children.Find(other => other.Id == flow.Attribute("targetRef")))
            .OfType<BpmnElement>().ToList();
        if (element.Attribute("instantiate") == "true" || element.Attribute("eventGatewayType") == "Parallel"
            || events.Count is 0 or > MaxEvents || !events.TrueForAll(IsWaitedFor))
        {
            findings.Add(element, $"An event-based gateway is imported where it leads to 1 to {MaxEvents} catch events (message, signal, "
                + "timer) or receive tasks, each with this flow only and without boundary events. Lead each flow to one of these.");
            return;
        }

        gateway.Kind = NodeKind.Sequence;
        gateway.Steps.Add(new JsonObject { ["type"] = "waitFirst" });
        gateway.Out.ForEach(edge => edge.To.In.Remove(edge));
        gateway.Out.Clear();
        foreach (var other in events)
        {
            var (behind, occurs) = (places[other.Id!].Entry, new JsonObject());
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

    private bool IsWaitedFor(BpmnElement element) => incoming[element.Id!].Count() == 1
        && places.TryGetValue(element.Id!, out var place) && place.Entry.Out.TrueForAll(edge => edge.Kind == EdgeKind.Next)
        && (element.Is("receiveTask") || (element.Is("intermediateCatchEvent") && BpmnRules.EventOf(element, findings)
            is { Kind: "messageEventDefinition" or "signalEventDefinition" or "timerEventDefinition" }));
}
