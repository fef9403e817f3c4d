namespace Workflow.Bpmn;

/// <summary>
/// Reads a process as a graph: each element with its steps, each flow as what it means to the engine.
/// </summary>
internal sealed class BpmnProcessReader(
    BpmnSteps steps, BpmnCalls calls, BpmnLoops loops, BpmnMappings mappings, BpmnExpressions expressions,
    FindingList findings)
{
    /// <summary>Elements of a process at most: a definition has no more steps.</summary>
    private const int MaxNodes = 1_000;

    private readonly List<(BpmnElement Element, FlowNode Gateway)> _choices = [];
    private BpmnElement _root = null!;
    private ProcessMap _map = null!;
    private BpmnFlows _ways = null!;
    private BpmnEvents _events = null!;
    private BpmnScopes _scopes = null!;

    /// <summary>The graph; null where it has too many elements, or no start.</summary>
    /// <param name="root">A process, or what one of several instances of an activity does.</param>
    public FlowGraph? Read(BpmnElement root)
    {
        _root = root;
        BpmnRules.Check(root, findings);
        var all = root.All.Where(element => element.Namespace == BpmnNamespace.Model).ToList();
        var flows = all.Where(element => element.Kind == "sequenceFlow").ToList();
        var nodes =
            all.Count(element => element.Parent?.Kind is "process" or "subProcess" && BpmnRules.DoesSomething(element))
            - flows.Count;
        if (nodes > MaxNodes || flows.Count > 2 * MaxNodes)
        {
            findings.Add(root, $"The process has more than {MaxNodes} elements. Move parts into processes of their "
                + "own, and call them.");
            return null;
        }

        _map = new ProcessMap(flows);
        all.Select(ExportedStep.IdOf).OfType<string>().ToList().ForEach(_map.Graph.Reserve);
        _ways = new BpmnFlows(_map, steps, expressions, findings);
        _events = new BpmnEvents(_map, steps, mappings, findings);
        _scopes = new BpmnScopes(_map, steps, mappings, findings, ReadArea);
        var area = new FlowArea(isProcess: true);
        _map.Graph.Start = root.Kind is "process" or "subProcess" ? _scopes.Read(root, area) : ReadAlone(root, area);
        var waiting = new BpmnWaitingEvents(_map, steps, findings);
        foreach (var (element, gateway) in _choices)
        {
            waiting.ConnectChoice(element, gateway);
        }

        _events.ConnectLinks();
        return _map.Graph.Start is null ? null : _map.Graph;
    }

    private FlowNode? ReadAlone(BpmnElement activity, FlowArea area)
    {
        var place = Place(activity, area);
        if (place is var (entry, exit))
        {
            _ways.AddEnd(activity, exit);
            return entry;
        }

        return null;
    }

    /// <summary>The elements of a process or sub-process, and the flows between them.</summary>
    /// <returns>Where it begins; null when there is a finding about that.</returns>
    private FlowNode? ReadArea(BpmnElement around, FlowArea area)
    {
        List<(BpmnElement Element, FlowNode Exit)> read = [];
        foreach (var element in around.Children.Where(child => BpmnRules.DoesSomething(child)
            && !BpmnRules.IsEventSubProcess(child)))
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

        var boundaries = new BpmnWaitingEvents(_map, steps, findings);
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
        if (starts.Count == 0)
        {
            findings.Add(around,
                $"The {around.Kind} has no start event. Add one without a trigger, and lead it to what comes first.");
            return null;
        }

        if (starts.Count > 1 && !BeginTogether(starts))
        {
            findings.Add(starts[1], around.Is("process")
                ? "Several start events are imported where one has no trigger at most, the others are of messages and "
                    + "signals, and each "
                    + "leads to the same element, since what has started an instance is not known behind. Lead them to "
                    + "one exclusive "
                    + "gateway, which decides by what the messages bring; or make each a process of its own."
                : $"A {around.Kind} has one start event here. Keep one.");
            return null;
        }

        // The others begin at the same place.
        foreach (var other in starts.Skip(1))
        {
            _map.Places[other.Id!].Entry.Out.ToList().ForEach(FlowGraph.Disconnect);
            _map.Graph.Nodes.Remove(_map.Places[other.Id!].Entry);
        }

        return starts[0].Id is { } id && _map.Places.TryGetValue(id, out var place) ? place.Entry : null;
    }

    private bool BeginTogether(List<BpmnElement> starts)
    {
        var first = starts.Select(start => _map.Outgoing[start.Id ?? ""].ToList()).ToList();
        return starts[0].Parent!.Is("process") && starts.Count(start => BpmnRules.EventsOf(start).Count == 0) <= 1
            && starts.TrueForAll(start => start.Id is not null && _map.Places.ContainsKey(start.Id))
            && first.TrueForAll(flows => flows.Count == 1 && !flows[0].Model("conditionExpression").Any())
            && first.Select(flows => flows[0].Attribute("targetRef")).Distinct().Count() == 1;
    }

    private (FlowNode Entry, FlowNode Exit)? Place(BpmnElement element, FlowArea area)
    {
        if (element.Id is not { Length: > 0 } id)
        {
            findings.Add(element,
                BpmnRules.IsFlowNode(element) ? $"The {element.Kind} has no id. Give it one that no other element has."
                : BpmnRules.Refusal(element));
            return null;
        }

        BpmnRules.Check(element, findings);
        if (ExportedStep.IsUnknown(element))
        {
            findings.Add(element, "The canonical step in this exported element is of a type that is not imported. "
                + "Register the definition as JSON: GET /definitions/{name} has it.");
        }

        var wanted = ExportedStep.IdOf(element) ?? id;
        (FlowNode Entry, FlowNode Exit) place;
        if (element.Kind is "parallelGateway" or "inclusiveGateway")
        {
            place = Parallel(element, wanted, area);
        }
        else
        {
            var node = Single(element, wanted, area);
            place = (node, node);
        }

        if (!_map.Places.TryAdd(id, place))
        {
            findings.Add(
                element, $"The id '{BpmnExpressions.Shown(id)}' is given twice. Give each element an id of its own.");
        }

        return place;
    }

    private FlowNode Single(BpmnElement element, string wanted, FlowArea area)
    {
        if (element.Is("subProcess") && !BpmnLoops.Reads(element))
        {
            return _scopes.Place(element, wanted, area);
        }

        var node = _map.Graph.Add(wanted, NodeKind.Sequence, element, area);
        switch (element.Kind)
        {
            case var _ when element != _root && loops.Read(node, element):
                break;
            case "startEvent":
                _events.Start(element);
                break;
            case "endEvent":
                _events.End(element, node);
                break;
            case "intermediateCatchEvent":
                _events.Catch(element, node);
                break;
            case "intermediateThrowEvent":
                _events.Throw(element, node);
                break;
            case "scriptTask":
                new BpmnScripts(expressions, mappings, findings).Read(node, element);
                break;
            case "serviceTask" or "sendTask":
                Service(element, node);
                break;
            case "userTask":
                steps.User(node, element);
                break;
            case "receiveTask":
                if (!_events.IsChosen(element))
                {
                    steps.Wait(node, element, element);
                }

                break;
            case "callActivity":
                calls.Call(node, element);
                break;
            case "task" or "manualTask":
                node.DoNothing($"Nothing is done in this {element.Kind}: the process goes on at once. Make it a user "
                + "task if somebody has to complete it, or a service task if an activity does it.");
                break;
            case "exclusiveGateway":
                node.Kind = _ways.IsDecision(element) ? NodeKind.Decide : NodeKind.Sequence;
                break;
            case "eventBasedGateway":
                _choices.Add((element, node));
                break;
            default:
                node.Kind = NodeKind.Decide;
                findings.Add(element, BpmnRules.Refusal(element));
                break;
        }

        return node;
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
                + "camunda:type=\"external\" with camunda:topic=\"…\", or implementation=\"…\": the name of an "
                + "activity that is registered with the engine, e.g. http.");
        }
    }

    private (FlowNode Entry, FlowNode Exit) Parallel(BpmnElement element, string wanted, FlowArea area)
    {
        // Several ways into an exported fork are alternatives, as they are in the definition.
        var exported = ExportedStep.Of(element, "fork") ?? ExportedStep.Of(element, "inclusive");
        var forks = _map.Outgoing[element.Id!].Count() > 1 || exported is not null;
        var isJoin = (_map.Incoming[element.Id!].Count() > 1 && exported is null)
            || ExportedStep.Of(element, "join") is not null;
        var split = element.Is("inclusiveGateway") ? NodeKind.Inclusive : NodeKind.Fork;
        forks |= split == NodeKind.Inclusive && _ways.IsDecision(element);
        var kind = forks ? split : NodeKind.Sequence;
        var entry = _map.Graph.Add(wanted, isJoin ? NodeKind.Join : kind, element, area);
        if (!isJoin || !forks)
        {
            entry.WantedPartner = exported?["join"]?.ToString();
            return (entry, entry);
        }

        var exit = _map.Graph.Add($"{wanted}_split", split, element, area);
        FlowGraph.Connect(entry, exit, EdgeKind.Next, element);
        return (entry, exit);
    }
}
