namespace Workflow.Bpmn;

/// <summary>Reads a process as a graph: each element with its steps, each flow as what it means to the engine.</summary>
internal sealed class BpmnProcessReader(
    BpmnSteps steps, BpmnCalls calls, BpmnLoops loops, BpmnMappings mappings, BpmnExpressions expressions, FindingList findings)
{
    /// <summary>Elements of a process at most: a definition has no more steps.</summary>
    private const int MaxNodes = 1_000;

    private readonly FlowGraph _graph = new();
    private BpmnFlows _ways = null!;
    private readonly Dictionary<string, (FlowNode Entry, FlowNode Exit)> _places = new(StringComparer.Ordinal);
    private readonly Dictionary<string, FlowNode> _links = new(StringComparer.Ordinal);
    private readonly List<(BpmnElement Element, FlowNode Node)> _jumps = [];
    private readonly List<(BpmnElement Element, FlowNode Gateway)> _choices = [];
    private ILookup<string, BpmnElement> _outgoing = null!;
    private ILookup<string, BpmnElement> _incoming = null!;

    /// <summary>The graph; null where it has too many elements, or no start.</summary>
    public FlowGraph? Read(BpmnElement process)
    {
        BpmnRules.Check(process, findings);
        var all = process.All.Where(element => element.Namespace == BpmnNamespace.Model).ToList();
        var flows = all.Where(element => element.Kind == "sequenceFlow").ToList();
        _outgoing = flows.ToLookup(flow => flow.Attribute("sourceRef") ?? "", StringComparer.Ordinal);
        _incoming = flows.ToLookup(flow => flow.Attribute("targetRef") ?? "", StringComparer.Ordinal);
        var nodes = all.Count(element => element.Parent?.Kind is "process" or "subProcess" && BpmnRules.DoesSomething(element))
            - flows.Count;
        if (nodes > MaxNodes || flows.Count > 2 * MaxNodes)
        {
            findings.Add(process, $"The process has more than {MaxNodes} elements. Move parts into processes of their own, and call them.");
            return null;
        }

        all.Select(ExportedStep.IdOf).OfType<string>().ToList().ForEach(_graph.Reserve);
        _ways = new BpmnFlows(_graph, _places, _outgoing, steps, expressions, findings);
        _graph.Start = ReadArea(process, new FlowArea(process, null));
        var events = new BpmnWaitingEvents(_graph, _places, _outgoing, _incoming, steps, findings);
        foreach (var (element, gateway) in _choices)
        {
            events.ConnectChoice(element, gateway);
        }

        foreach (var (element, node) in _jumps)
        {
            Jump(element, node);
        }

        return _graph.Start is null ? null : _graph;
    }

    /// <summary>The elements of a process or sub-process, and the flows between them.</summary>
    /// <returns>Where it begins; null when there is a finding about that.</returns>
    private FlowNode? ReadArea(BpmnElement around, FlowArea area)
    {
        List<(BpmnElement Element, FlowNode Exit)> read = [];
        foreach (var element in around.Children.Where(BpmnRules.DoesSomething))
        {
            if (element.Is("sequenceFlow"))
            {
                _ways.Check(element, around);
            }
            else if (!element.Is("boundaryEvent") && Place(element, area) is { } place)
            {
                read.Add((element, place.Exit));
            }
        }

        var boundaries = new BpmnWaitingEvents(_graph, _places, _outgoing, _incoming, steps, findings);
        foreach (var element in around.Model("boundaryEvent"))
        {
            if (boundaries.PlaceBoundary(element, area) is { } exit)
            {
                read.Add((element, exit));
            }
        }

        boundaries.ConnectErrors();
        foreach (var (element, exit) in read)
        {
            _ways.Connect(element, exit);
        }

        return StartOf(around);
    }

    private FlowNode? StartOf(BpmnElement around)
    {
        var starts = around.Model("startEvent").ToList();
        if (starts.Count != 1)
        {
            findings.Add(starts.Count == 0 ? around : starts[1], starts.Count == 0
                ? $"The {around.Kind} has no start event. Add one without a trigger, and lead it to what comes first."
                : "More than one start event is not imported. Keep one without a trigger, and decide behind it by an exclusive gateway.");
            return null;
        }

        return starts[0].Id is { } id && _places.TryGetValue(id, out var place) ? place.Entry : null;
    }

    private (FlowNode Entry, FlowNode Exit)? Place(BpmnElement element, FlowArea area)
    {
        if (element.Id is not { Length: > 0 } id)
        {
            if (BpmnRules.RefusalOf(element.Kind) is { } unnamed)
            {
                findings.Add(element, unnamed);
            }
            else
            {
                findings.Add(element, $"The {element.Kind} has no id. Give it one that no other element has.");
            }

            return null;
        }

        BpmnRules.Check(element, findings);
        if (ExportedStep.IsUnknown(element))
        {
            findings.Add(element, "The canonical step in this exported element is of a type that is not imported. Register the definition "
                + "as JSON: GET /definitions/{name} has it.");
        }

        var wanted = ExportedStep.IdOf(element) ?? id;
        var place = element.Kind switch
        {
            "parallelGateway" or "inclusiveGateway" => Parallel(element, wanted, area),
            "subProcess" => SubProcess(element, wanted, area),
            _ => Single(element, wanted, area),
        };
        if (!_places.TryAdd(id, place))
        {
            findings.Add(element, $"The id '{BpmnExpressions.Shown(id)}' is given twice. Give each element an id of its own.");
        }

        return place;
    }

    private (FlowNode Entry, FlowNode Exit) Single(BpmnElement element, string wanted, FlowArea area)
    {
        var node = _graph.Add(wanted, NodeKind.Sequence, element, area);
        switch (element.Kind)
        {
            case var _ when loops.Read(node, element):
                break;
            case "startEvent":
                Start(element, area);
                break;
            case "endEvent":
                End(element, node);
                break;
            case "intermediateCatchEvent":
                Catch(element, node);
                break;
            case "intermediateThrowEvent":
                Throw(element, node);
                break;
            case "scriptTask":
                steps.Script(node, element);
                break;
            case "serviceTask" or "sendTask":
                Service(element, node);
                break;
            case "userTask":
                steps.User(node, element);
                break;
            case "receiveTask" when _incoming[element.Id!].Any(IsChoice):
                break;
            case "receiveTask":
                steps.Wait(node, element, element);
                break;
            case "callActivity":
                calls.Call(node, element);
                break;
            case "task" or "manualTask" when expressions.Dialect != BpmnDialect.Plain:
                break;
            case "task" or "manualTask":
                findings.Add(element, "The standard does not say what this task does. Make it a user task that somebody completes, or "
                    + "a service task.");
                break;
            case "exclusiveGateway":
                node.Kind = _ways.IsDecision(element) ? NodeKind.Decide : NodeKind.Sequence;
                break;
            case "eventBasedGateway":
                _choices.Add((element, node));
                break;
            default:
                node.Kind = NodeKind.Decide;
                findings.Add(element, BpmnRules.RefusalOf(element.Kind) ?? $"Elements of kind '{BpmnExpressions.Shown(element.Kind)}' "
                    + "are not imported. Say the same with tasks, events and gateways that are.");
                break;
        }

        return (node, node);
    }

    private void Start(BpmnElement element, FlowArea area)
    {
        mappings.RefuseAll(element);
        var trigger = BpmnRules.EventOf(element, findings);
        if (trigger is { Kind: "messageEventDefinition" or "signalEventDefinition" } && area.Around is null)
        {
            _graph.StartSignals.AddRange(BpmnRules.EventsOf(element).Select(steps.StartSignal));
            return;
        }

        if (trigger is not { } definition)
        {
            return;
        }

        findings.Add(element, definition.Kind switch
        {
            "timerEventDefinition" => "Timer starts are not imported: nothing here starts instances by itself. Use a start event without a "
                + "trigger, and let a scheduler send POST /instances.",
            _ => BpmnRules.RefusalOfEvent(definition.Kind)
                ?? $"A start event with '{definition.Kind}' is not imported. Use one without a trigger.",
        });
    }

    private void End(BpmnElement element, FlowNode node)
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
                if (node.Area.Around is not null)
                {
                    (isStop, node.Kind) = (false, NodeKind.End);
                    findings.Add(element, "A terminate end event in a sub-process is not imported: it would end the process too. Lead "
                        + "to an end event.");
                }

                break;
            case var definition when definition.Is("messageEventDefinition") || definition.Is("signalEventDefinition"):
                isStop = false;
                ThrowBy(element, node, definition);
                break;
            case var definition:
                findings.Add(element, BpmnRules.RefusalOfEvent(definition.Kind)
                    ?? $"An end event with '{definition.Kind}' is not imported. Use a plain end event.");
                break;
        }

        node.Kind = isStop ? NodeKind.Stop : node.Kind;
        if (_outgoing.Contains(element.Id!))
        {
            findings.Add(element, "A flow leads out of an end event. Remove it, or make the event an intermediate one.");
        }
    }

    private void Catch(BpmnElement element, FlowNode node)
    {
        switch (BpmnRules.EventOf(element, findings))
        {
            case { Kind: "messageEventDefinition" or "signalEventDefinition" } definition:
                if (_incoming[element.Id!].All(flow => !IsChoice(flow)))
                {
                    steps.Wait(node, element, definition);
                }

                break;
            case { Kind: "timerEventDefinition" } timer:
                mappings.RefuseAll(element);
                if (_incoming[element.Id!].All(flow => !IsChoice(flow)))
                {
                    steps.Delay(node, element, timer);
                }

                break;
            case { Kind: "linkEventDefinition" } link:
                if (!_links.TryAdd(link.Attribute("name") ?? "", node))
                {
                    findings.Add(element, "Two link events of this name catch. Give each a name of its own.");
                }

                break;
            case var definition:
                findings.Add(element, definition is null ? "The event catches nothing. Give it a message, a signal or a timer."
                    : BpmnRules.RefusalOfEvent(definition.Kind)
                    ?? $"A catch event with '{definition.Kind}' is not imported. Use a message, a signal or a timer.");
                break;
        }
    }

    private bool IsChoice(BpmnElement flow) =>
        flow.Parent!.Model("eventBasedGateway").Any(gateway => gateway.Id == flow.Attribute("sourceRef"));

    private void Throw(BpmnElement element, FlowNode node)
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
                _jumps.Add((link, node));
                break;
            case var definition:
                findings.Add(element, BpmnRules.RefusalOfEvent(definition.Kind)
                    ?? $"A throw event with '{definition.Kind}' is not imported. Use a message or a signal.");
                break;
        }
    }

    private void ThrowBy(BpmnElement element, FlowNode node, BpmnElement definition)
    {
        if (definition.Is("signalEventDefinition") || !steps.Invoke(node, element, definition))
        {
            steps.Raise(node, element, definition);
        }
    }

    private void Service(BpmnElement element, FlowNode node)
    {
        if (steps.Invoke(node, element))
        {
            return;
        }

        if (element.Is("sendTask") && element.Attribute("messageRef") is not null)
        {
            steps.Raise(node, element, element);
        }
        else
        {
            findings.Add(element, $"The {element.Kind} names no activity. Give it zeebe:taskDefinition type=\"…\", "
                + "camunda:type=\"external\" with camunda:topic=\"…\", or implementation=\"…\": the name of an activity that is "
                + "registered with the engine, e.g. http.");
        }
    }

    private void Jump(BpmnElement link, FlowNode node)
    {
        if (_links.TryGetValue(link.Attribute("name") ?? "", out var target))
        {
            // Nothing else leads out of it: the end that stands there for want of a flow goes.
            foreach (var edge in node.Out.ToList())
            {
                edge.From.Out.Remove(edge);
                edge.To.In.Remove(edge);
            }

            FlowGraph.Connect(node, target, EdgeKind.Next, link);
        }
        else
        {
            findings.Add(link, "No link event of this name catches. Add one, or draw the flow.");
        }
    }

    private (FlowNode Entry, FlowNode Exit) Parallel(BpmnElement element, string wanted, FlowArea area)
    {
        // Several ways into an exported fork are alternatives, as they are in the definition.
        var exported = ExportedStep.Of(element, "fork") ?? ExportedStep.Of(element, "inclusive");
        var forks = _outgoing[element.Id!].Count() > 1 || exported is not null;
        var isJoin = (_incoming[element.Id!].Count() > 1 && exported is null) || ExportedStep.Of(element, "join") is not null;
        var split = element.Is("inclusiveGateway") ? NodeKind.Inclusive : NodeKind.Fork;
        forks |= split == NodeKind.Inclusive && _ways.IsDecision(element);
        var entry = _graph.Add(wanted, isJoin ? NodeKind.Join : forks ? split : NodeKind.Sequence, element, area);
        if (!isJoin || !forks)
        {
            entry.WantedPartner = exported?["join"]?.ToString();
            return (entry, entry);
        }

        var exit = _graph.Add($"{wanted}_split", split, element, area);
        FlowGraph.Connect(entry, exit, EdgeKind.Next, element);
        return (entry, exit);
    }

    private (FlowNode Entry, FlowNode Exit) SubProcess(BpmnElement element, string wanted, FlowArea around)
    {
        if (element.Attribute("triggeredByEvent") == "true")
        {
            findings.Add(element, "Event sub-processes are not imported. Use boundary events, or an event-based gateway.");
        }

        mappings.RefuseAll(element);
        var area = new FlowArea(element, around);
        area.Exit = _graph.Add($"{wanted}_left", NodeKind.Leave, element, area);
        var entry = _graph.Add(wanted, NodeKind.Sequence, element, around);
        if (ReadArea(element, area) is { } start)
        {
            FlowGraph.Connect(entry, start, EdgeKind.Next, element);
        }

        return (entry, area.Exit);
    }
}
