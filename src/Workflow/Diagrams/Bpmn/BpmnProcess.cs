using System.Text.Json.Nodes;
using System.Xml;
using Workflow.Abstractions.Definitions;

namespace Workflow.Diagrams.Bpmn;

/// <summary>
/// The process: one element per step, a boundary event per timeout and error, a flow per edge. What is inside a
/// sub-process stands in it.
/// </summary>
internal sealed class BpmnProcess(XmlWriter xml, BpmnModel model)
{
    public void Write()
    {
        WriteShared();
        Start("process", model.Ids.Process);
        xml.WriteAttributeString("name", model.Definition.Name);
        xml.WriteAttributeString("isExecutable", "false");
        WriteExtension(null, Described());
        WriteLevel("");
        xml.WriteEndElement();
    }

    /// <summary>What is directly inside of a sub-process, or outside of all ("").</summary>
    private void WriteLevel(string parent)
    {
        foreach (var node in model.Levels.Nodes[parent])
        {
            WriteNode(node);
            foreach (var edge in model.Out[node.Id].Where(edge => edge.LeavesByBoundary))
            {
                WriteBoundary(edge);
            }
        }

        foreach (var edge in model.Levels.Edges[parent])
        {
            WriteFlow(model.Edges[edge.Id]);
        }
    }

    // What elements refer to stands beside the process.
    private void WriteShared()
    {
        var steps = model.Diagram.Nodes.Where(node => node.Node.IsStep)
            .Select(node => model.Definition.Steps[node.Node.Id]).ToList();
        var starts = model.Definition.StartOn.Select(start => start.Signal);
        foreach (var signal in steps.SelectMany(SignalsOf).Concat(starts).Distinct(StringComparer.Ordinal))
        {
            Named("message", model.Ids.Shared("message", signal), signal);
        }

        foreach (var raised in steps.OfType<RaiseStep>().Select(step => step.Event).Distinct(StringComparer.Ordinal))
        {
            Named("signal", model.Ids.Shared("signal", raised), raised);
        }

        foreach (var fail in steps.OfType<FailStep>())
        {
            var error = TemplateText.Of(model.StepJson(fail.Id).GetProperty("error"));
            var code = fail.Code is null ? null : TemplateText.Of(model.StepJson(fail.Id).GetProperty("code"));
            Named("error", model.Ids.Shared("error", fail.Id), error, code);
        }
    }

    private static IEnumerable<string> SignalsOf(StepDefinition step) =>
        EventsOf(step).Select(one => one.Signal).Prepend((step as WaitSignalStep)?.Signal).OfType<string>();

    private static IReadOnlyList<StepEvent> EventsOf(StepDefinition step) => step switch
    {
        WaitFirstStep first => first.Events,
        BoundedStep { Boundary: { } boundary } => boundary,
        _ => [],
    };

    private void WriteNode(DiagramNode node)
    {
        var step = model.Definition.Steps.GetValueOrDefault(node.Id);
        // A join of branches that were chosen waits for these only.
        Start(model.InclusiveJoins.Contains(node.Id) ? "inclusiveGateway" : ElementOf(node.Kind),
            model.Ids.Node(node.Id));
        xml.WriteAttributeString("name", BpmnTexts.Safe(node.Title));
        WriteAttributes(step);
        if (step is not null)
        {
            WriteExtension(step.Id, model.StepJson(step.Id).GetRawText());
        }

        foreach (var edge in model.In[node.Id])
        {
            Text("incoming", model.Ids.Flow(edge));
        }

        foreach (var edge in model.Out[node.Id].Where(edge => !edge.LeavesByBoundary))
        {
            Text("outgoing", model.Ids.Flow(edge));
        }

        WriteContent(step);
        if (node.Id == DiagramNode.StartId)
        {
            foreach (var start in model.Canonical.TryGetProperty("startOn", out var all)
                ? all.EnumerateArray()
                : default)
            {
                WriteEvent(start, model.Ids.Node(node.Id));
            }
        }
        else if (node.Kind == NodeKind.SubProcess)
        {
            WriteLevel(node.Id);
        }
        else if (node is { IsStep: false, Kind: not NodeKind.Start })
        {
            WriteEvent(model.Events[model.In[node.Id].Single().Edge.Id], model.Ids.Node(node.Id));
        }

        xml.WriteEndElement();
    }

    /// <summary>
    /// What an event waits for; with the event itself, of which BPMN has no place for correlation and result.
    /// </summary>
    private void WriteEvent(JsonElement json, string element)
    {
        var exported = JsonObject.Create(json)!;
        exported.Remove("next");
        exported.Insert(0, "type", "event");
        if (json.TryGetProperty("signal", out var signal))
        {
            Start("messageEventDefinition", model.Ids.Part(element, "definition"));
            xml.WriteAttributeString("messageRef", model.Ids.Shared("message", signal.GetString()!));
            WriteExtension(null, exported.ToJsonString());
            xml.WriteEndElement();
        }
        else
        {
            var isDuration = json.TryGetProperty("duration", out var duration);
            var due = TemplateText.Of(isDuration ? duration : json.GetProperty("until"));
            Timer(element, isDuration ? "timeDuration" : "timeDate", due, exported.ToJsonString());
        }
    }

    private string Described()
    {
        var members = model.Canonical.EnumerateObject()
            .Where(member => member.Name is "title" or "documentation" or "source")
            .Select(member => KeyValuePair.Create(member.Name, JsonNode.Parse(member.Value.GetRawText())));
        return new JsonObject(members.Prepend(KeyValuePair.Create("type", (JsonNode?)"definition"))).ToJsonString();
    }

    private void WriteExtension(string? step, string json)
    {
        StartModel("extensionElements");
        xml.WriteStartElement("step", BpmnRenderer.StepNamespace);
        if (step is not null)
        {
            xml.WriteAttributeString("id", step);
        }

        xml.WriteString(BpmnTexts.SafeJson(json));
        xml.WriteEndElement();
        xml.WriteEndElement();
    }

    private static string ElementOf(NodeKind kind) => kind switch
    {
        NodeKind.Start => "startEvent",
        NodeKind.End or NodeKind.Terminate or NodeKind.Fail => "endEvent",
        NodeKind.Delay or NodeKind.Signal => "intermediateCatchEvent",
        NodeKind.Raise => "intermediateThrowEvent",
        NodeKind.Decide => "exclusiveGateway",
        NodeKind.Fork or NodeKind.Join => "parallelGateway",
        NodeKind.Inclusive => "inclusiveGateway",
        NodeKind.WaitFirst => "eventBasedGateway",
        NodeKind.Set => "scriptTask",
        NodeKind.WaitSignal => "receiveTask",
        NodeKind.Task => "userTask",
        NodeKind.Invoke => "serviceTask",
        NodeKind.Call or NodeKind.CallEach => "callActivity",
        NodeKind.SubProcess => "subProcess",
        _ => "task",
    };

    private void WriteAttributes(StepDefinition? step)
    {
        switch (step)
        {
            case DecideStep or InclusiveStep:
                var otherwise = model.Out[step.Id].Single(edge => edge.Edge.Kind == EdgeKind.Otherwise);
                xml.WriteAttributeString("default", model.Ids.Flow(otherwise));
                break;
            case SetStep:
                xml.WriteAttributeString("scriptFormat", "feel");
                break;
            case WaitSignalStep wait:
                xml.WriteAttributeString("messageRef", model.Ids.Shared("message", wait.Signal));
                break;
            case CallStep call:
                xml.WriteAttributeString("calledElement", call.Definition);
                break;
            case CallEachStep each:
                xml.WriteAttributeString("calledElement", each.Definition);
                break;
        }
    }

    private void WriteContent(StepDefinition? step)
    {
        switch (step)
        {
            case SetStep set:
                Text("script", TemplateText.Script(model.StepJson(set.Id).GetProperty("values")));
                break;
            case DelayStep { Duration: not null } delay:
                Timer(delay.Id, "timeDuration", TemplateText.Of(model.StepJson(delay.Id).GetProperty("duration")));
                break;
            case DelayStep delay:
                Timer(delay.Id, "timeDate", TemplateText.Of(model.StepJson(delay.Id).GetProperty("until")));
                break;
            case CallEachStep each:
                WriteElements(each);
                break;
            case RaiseStep raise:
                Reference("signalEventDefinition", "signalRef", raise.Id, model.Ids.Shared("signal", raise.Event));
                break;
            case FailStep fail:
                Reference("errorEventDefinition", "errorRef", fail.Id, model.Ids.Shared("error", fail.Id));
                break;
            case EndStep { Terminate: true } end:
                Start("terminateEventDefinition", model.Ids.Part(model.Ids.Node(end.Id), "terminate"));
                xml.WriteEndElement();
                break;
        }
    }

    private void WriteElements(CallEachStep each)
    {
        Start("multiInstanceLoopCharacteristics", model.Ids.Part(model.Ids.Node(each.Id), "elements"));
        xml.WriteAttributeString("isSequential", each.MaxConcurrency == 1 ? "true" : "false");
        if (each.Count is not null)
        {
            Expression("loopCardinality", TemplateText.Of(model.StepJson(each.Id).GetProperty("count")));
        }

        if (each.CompletionCondition is { } condition)
        {
            var done = condition.Source.Trim();
            Expression("completionCondition", done.StartsWith('=') ? done : $"= {done}");
        }

        xml.WriteEndElement();
    }

    private void WriteBoundary(PlacedEdge edge)
    {
        Start("boundaryEvent", model.Ids.Boundary(edge));
        xml.WriteAttributeString("attachedToRef", model.Ids.Node(edge.Edge.From));
        if (edge.Edge.Kind.IsSide())
        {
            xml.WriteAttributeString("cancelActivity", "false");
        }

        Text("outgoing", model.Ids.Flow(edge));
        if (edge.Edge.Kind is not (EdgeKind.Timeout or EdgeKind.Error))
        {
            WriteEvent(model.Events[edge.Edge.Id], model.Ids.Boundary(edge));
        }
        else if (edge.Edge.Kind == EdgeKind.Timeout)
        {
            Timer(edge.Edge.From + "_boundary", "timeDuration",
                model.StepJson(edge.Edge.From).GetProperty("timeout").GetString()!);
        }
        else
        {
            Start("errorEventDefinition", model.Ids.Part(model.Ids.Boundary(edge), "definition"));
            xml.WriteEndElement();
        }

        xml.WriteEndElement();
    }

    private void WriteFlow(PlacedEdge edge)
    {
        Start("sequenceFlow", model.Ids.Flow(edge));
        if (edge.Label is { } label)
        {
            xml.WriteAttributeString("name", string.Join(' ', label.Lines.Select(line => line.Text)));
        }

        xml.WriteAttributeString("sourceRef", model.Ids.Source(edge));
        xml.WriteAttributeString("targetRef", model.Ids.Node(edge.Edge.To));
        if (model.Cases.TryGetValue(edge.Edge.Id, out var taken))
        {
            var when = taken.When.Source.Trim();
            Expression("conditionExpression", when.StartsWith('=') ? when : $"= {when}");
        }

        xml.WriteEndElement();
    }

    private void Timer(string of, string kind, string value, string? exported = null)
    {
        Start("timerEventDefinition", model.Ids.Part(of, "timer"));
        if (exported is not null)
        {
            WriteExtension(null, exported);
        }

        Expression(kind, value);
        xml.WriteEndElement();
    }

    private void Reference(string name, string attribute, string of, string id)
    {
        Start(name, model.Ids.Part(model.Ids.Node(of), "definition"));
        xml.WriteAttributeString(attribute, id);
        xml.WriteEndElement();
    }

    private void Expression(string name, string value)
    {
        StartModel(name);
        xml.WriteAttributeString("type", BpmnXml.Instance, "bpmn:tFormalExpression");
        xml.WriteString(BpmnTexts.Safe(value));
        xml.WriteEndElement();
    }

    private void Named(string element, string id, string name, string? errorCode = null)
    {
        Start(element, id);
        xml.WriteAttributeString("name", BpmnTexts.Safe(name));
        if (errorCode is not null)
        {
            xml.WriteAttributeString("errorCode", BpmnTexts.Safe(errorCode));
        }

        xml.WriteEndElement();
    }

    private void Text(string name, string text)
    {
        StartModel(name);
        xml.WriteString(BpmnTexts.Safe(text));
        xml.WriteEndElement();
    }

    private void Start(string name, string id)
    {
        StartModel(name);
        xml.WriteAttributeString("id", id);
    }

    private void StartModel(string name) => xml.WriteStartElement(name, BpmnXml.Model);
}

/// <summary>Values of a canonical definition as texts of XML.</summary>
internal static class BpmnTexts
{
    /// <summary>The same JSON, with escapes for the characters that XML cannot hold.</summary>
    public static string SafeJson(string json) =>
        string.Concat(
            json.Select(c => XmlConvert.IsXmlChar(c) || char.IsSurrogate(c) ? c.ToString() : $"\\u{(int)c:x4}"));

    /// <summary>JSON holds characters that XML cannot; they become U+FFFD.</summary>
    public static string Safe(string text) => string.Concat(text.EnumerateRunes()
        .Select(rune => rune.Value > char.MaxValue || XmlConvert.IsXmlChar((char)rune.Value)
            ? rune.ToString()
            : "\uFFFD"));
}
