using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions;

namespace Workflow.Bpmn;

/// <summary>Something in a BPMN file that is not imported.</summary>
/// <param name="Element">The kind of element, e.g. <c>complexGateway</c>; empty for the file itself.</param>
/// <param name="Id">Its id; null where it has none.</param>
/// <param name="Name">What a person calls it; null where it has no name.</param>
/// <param name="Line">From 1.</param>
/// <param name="Column">From 1.</param>
/// <param name="Message">What is not imported and why, and what to use instead.</param>
public sealed record BpmnFinding(string Element, string? Id, string? Name, int Line, int Column, string Message)
{
    /// <summary>The element as a message names it, e.g. <c>scriptTask 'sum' ("Add up")</c>.</summary>
    public string Subject => Element.Length == 0 ? "the file"
        : $"{Element}{(Id is null ? "" : $" '{Id}'")}{(Name is null ? "" : $" (\"{Name}\")")}";

    public override string ToString() => $"line {Line}, column {Column}, {Subject}: {Message}";
}

/// <summary>A BPMN file cannot be imported; everything that was found is listed.</summary>
public sealed class BpmnInvalidException(IReadOnlyList<BpmnFinding> findings) : WorkflowException(
    $"The BPMN file has {findings.Count} finding(s): {string.Join(" | ", findings)}")
{
    public IReadOnlyList<BpmnFinding> Findings { get; } = findings;
    public override string Code => "definition-invalid";
}

/// <summary>Collects what is found, as much of it as somebody would read.</summary>
internal sealed class FindingList
{
    /// <summary>How many findings are reported at most; the last one then counts the others.</summary>
    public const int Max = 200;

    private const int LongestName = 80;
    private readonly List<BpmnFinding> _found = [];
    private readonly HashSet<BpmnElement> _concerned = [];
    private int _more;

    public int Count => _found.Count + _more;

    /// <summary>Whether something was found in it.</summary>
    public bool Concerns(BpmnElement element) => _concerned.Contains(element);

    public void AddToFile(int line, int column, string message) =>
        Add(new("", null, null, Math.Max(1, line), Math.Max(1, column), message));

    public void Add(BpmnElement at, string message) => Add(at, at.Line, at.Column, message);

    public static BpmnFinding Of(BpmnElement at, string message) => Of(at, at.Line, at.Column, message, out _);

    public void Add(BpmnElement at, int line, int column, string message)
    {
        var finding = Of(at, line, column, message, out var named);
        _concerned.Add(named);
        Add(finding);
    }

    private static BpmnFinding Of(BpmnElement at, int line, int column, string message, out BpmnElement named)
    {
        // A part of an element is found by the element that somebody draws.
        named = at;
        while (named.Parent is { Kind: not ("process" or "definitions") } parent
            && (!parent.Is("subProcess") || named.Kind is "extensionElements" or ElementLoop.Kind))
        {
            named = parent;
        }

        return new(named.Kind, Shown(named.Id), Shown(named.Title), line, column, message);
    }

    public IReadOnlyList<BpmnFinding> ToList()
    {
        List<BpmnFinding> all = [.. _found.OrderBy(finding => finding.Line).ThenBy(finding => finding.Column)];
        if (_more > 0)
        {
            var last = all[^1];
            all.Add(new("", null, null, last.Line, last.Column, $"{_more} more findings are not listed; correct these first."));
        }

        return all;
    }

    private void Add(BpmnFinding finding)
    {
        if (_found.Contains(finding))
        {
            return;
        }

        if (_found.Count < Max - 1)
        {
            _found.Add(finding);
        }
        else
        {
            _more++;
        }
    }

    private static string? Shown(string? text) => text is null ? null : StoreLimits.Excerpt(text, LongestName);
}

/// <summary>What is refused by name, with what to use instead; and what of a file has no effect on its execution.</summary>
internal static class BpmnRules
{
    /// <summary>Elements of a process that describe it and do nothing.</summary>
    private static readonly HashSet<string> Descriptive =
    [
        "documentation", "extensionElements", "laneSet", "textAnnotation", "association", "group", "dataObject", "dataObjectReference",
        "dataStoreReference", "incoming", "outgoing", "auditing", "monitoring", "category", "property", "supports",
    ];

    /// <summary>Elements of a process that are not imported.</summary>
    private static readonly Dictionary<string, string> RefusedElements = new(StringComparer.Ordinal)
    {
        ["businessRuleTask"] = "Business-rule tasks are not imported: there is no decision engine. Use a service task whose activity "
            + "decides, or an exclusive gateway with conditions.",
        ["complexGateway"] = "Complex gateways are not imported. Use exclusive and parallel gateways that say the same.",
        ["transaction"] = "Transactions are not imported: nothing is compensated. Use an ordinary sub-process, and lead errors to "
            + "steps that undo.",
        ["adHocSubProcess"] = "Ad-hoc sub-processes are not imported. Use user tasks in an order, or a process of its own that is called.",
        ["callChoreography"] = "Choreographies are not imported. Import the process of each participant.",
        ["choreographyTask"] = "Choreographies are not imported. Import the process of each participant.",
        ["subChoreography"] = "Choreographies are not imported. Import the process of each participant.",
        ["correlationSubscription"] = "Correlation subscriptions are not imported. Give the message a key: zeebe:subscription "
            + "correlationKey=\"= orderId\".",
        ["ioSpecification"] = "Data inputs and outputs of the standard are not imported. Use zeebe:ioMapping or camunda:inputOutput.",
        ["resourceRole"] = "Resource roles are not imported. Use zeebe:assignmentDefinition or camunda:assignee and "
            + "camunda:candidateGroups.",
        ["performer"] = "Performers are not imported. Use zeebe:assignmentDefinition or camunda:assignee.",
        ["humanPerformer"] = "Performers are not imported. Use zeebe:assignmentDefinition or camunda:assignee.",
        ["potentialOwner"] = "Potential owners are not imported. Use zeebe:assignmentDefinition or camunda:candidateGroups.",
        ["standardLoopCharacteristics"] = "Loops of an activity are not imported. Lead back to it by an exclusive gateway.",
        [ElementLoop.Kind] = "Multi-instance is imported of call activities, sub-processes, service, send, user, receive and script tasks. "
            + "Make this activity a process of its own, and call it by a multi-instance call activity.",
    };

    private static readonly Dictionary<string, string> RefusedEvents = new(StringComparer.Ordinal)
    {
        ["compensateEventDefinition"] = "Compensation is not imported. Lead errors to steps that undo.",
        ["cancelEventDefinition"] = "Cancel events are not imported: there are no transactions. Use an error event.",
        ["conditionalEventDefinition"] = "Conditional events are not imported: nothing watches variables. Use a message, and an "
            + "exclusive gateway.",
        ["escalationEventDefinition"] = "Escalation events are not imported. Use an error event, or a message to somebody who decides.",
    };

    /// <summary>Attributes that are true or false.</summary>
    private static readonly HashSet<string> Flags =
    [
        "cancelActivity", "instantiate", "isExecutable", "isForCompensation", "isInterrupting", "isSequential", "parallelMultiple",
        "propagateAllChildVariables", "propagateAllParentVariables", "triggeredByEvent",
    ];

    private static readonly HashSet<string> HarmlessOfCamunda7 =
    [
        "async", "asyncBefore", "asyncAfter", "exclusive", "jobPriority", "taskPriority", "historyTimeToLive", "versionTag", "formKey",
        "formRef",
        "formRefBinding", "formRefVersion", "dueDate", "followUpDate", "priority", "candidateStarterGroups", "candidateStarterUsers",
        "isStartableInTasklist", "assignee", "candidateGroups", "type", "topic", "resultVariable", "calledElementBinding",
        "calledElementVersion", "diagramRelationId", "modelerTemplate", "modelerTemplateVersion", "properties", "formData",
        "collection", "elementVariable", "errorMessage",
    ];

    private static readonly HashSet<string> HarmlessOfCamunda8 =
    [
        "modelerTemplate", "modelerTemplateVersion", "modelerTemplateIcon", "properties", "formDefinition", "userTask", "userTaskForm",
        "taskSchedule", "priorityDefinition", "versionTag",
    ];

    /// <summary>Extension elements and what reads them: the kinds of elements that they mean something on.</summary>
    private static readonly Dictionary<(string Namespace, string Name), string[]> Read = new()
    {
        [(BpmnNamespace.Zeebe, "taskDefinition")] = 
            ["serviceTask", "sendTask", "intermediateThrowEvent", "endEvent", "messageEventDefinition"],
        [(BpmnNamespace.Zeebe, "ioMapping")] =
        [
            "serviceTask", "sendTask", "userTask", "receiveTask", "callActivity", "intermediateCatchEvent", "intermediateThrowEvent",
            "startEvent", "endEvent",
        ],
        [(BpmnNamespace.Zeebe, "subscription")] = ["message"],
        [(BpmnNamespace.Zeebe, "calledElement")] = ["callActivity"],
        [(BpmnNamespace.Zeebe, "assignmentDefinition")] = ["userTask"],
        [(BpmnNamespace.Zeebe, "script")] = ["scriptTask"],
        [(BpmnNamespace.Zeebe, "loopCharacteristics")] = [ElementLoop.Kind],
        [(BpmnNamespace.Camunda, "inputOutput")] = ["serviceTask", "sendTask", "userTask", "receiveTask", "callActivity"],
        [(BpmnNamespace.Camunda, "in")] = ["callActivity"],
        [(BpmnNamespace.Camunda, "out")] = ["callActivity"],
        [("", "inputMapping")] = ["callActivity"],
        [("", "outputMapping")] = ["callActivity"],
    };

    private static readonly Dictionary<string, string> Advice = new(StringComparer.Ordinal)
    {
        ["class"] = "Use camunda:type=\"external\" with a camunda:topic that names an activity.",
        ["delegateExpression"] = "Use camunda:type=\"external\" with a camunda:topic that names an activity.",
        ["expression"] = "Use camunda:type=\"external\" with a camunda:topic that names an activity.",
        ["candidateUsers"] = "Use an assignee, or a group of these people.",
        ["initiator"] = "Give the name of the starter as a variable when the instance is started.",
        ["resource"] = "Write the script into the element.",
        ["executionListener"] = "Use a script or service task before or after it.",
        ["executionListeners"] = "Use a script or service task before or after it.",
        ["taskListener"] = "Use a script or service task before or after it.",
        ["taskListeners"] = "Use a script or service task before or after it.",
        ["taskHeaders"] = "Give the values as zeebe:input of the ioMapping.",
        ["failedJobRetryTimeCycle"] = "Use retries of a zeebe:taskDefinition, or lead errors back by a boundary event.",
        ["connector"] = "Use camunda:type=\"external\" with the topic http, and its url, method and body as input parameters.",
        ["field"] = "Use camunda:inputParameter.",
    };

    /// <summary>Whether an element of a process is more than a description.</summary>
    public static bool DoesSomething(BpmnElement element) =>
        element.Namespace == BpmnNamespace.Model && !Descriptive.Contains(element.Kind);

    /// <summary>A sub-process that no flow leads to: it begins by the event of its start.</summary>
    public static bool IsEventSubProcess(BpmnElement element) =>
        element.Is("subProcess") && element.Flag("triggeredByEvent");

    public static string? RefusalOf(string element) => RefusedElements.GetValueOrDefault(element);
    public static string? RefusalOfEvent(string definition) => RefusedEvents.GetValueOrDefault(definition);

    /// <summary>What triggers an event; null for none.</summary>
    public static BpmnElement? EventOf(BpmnElement element, FindingList findings)
    {
        var definitions = EventsOf(element);
        var startsByAny = element.Is("startEvent") && !element.Flag("parallelMultiple")
            && definitions.TrueForAll(definition => definition.Kind is "messageEventDefinition" or "signalEventDefinition");
        if (definitions.Count > 1 && !startsByAny)
        {
            findings.Add(element, "An event with several triggers is not imported. Use an event-based gateway, or one event after the "
                + "other.");
        }

        definitions.ForEach(definition => Check(definition, findings));
        return definitions.FirstOrDefault();
    }

    /// <summary>All that triggers an event.</summary>
    public static List<BpmnElement> EventsOf(BpmnElement element) => [.. element.Children.Where(part =>
        part.Namespace == BpmnNamespace.Model
        && (part.Kind.EndsWith("EventDefinition", StringComparison.Ordinal) || part.Kind == "eventDefinitionRef"))];

    /// <summary>Attributes, extensions and parts of an element that could change what it means and that nothing here reads.</summary>
    public static void Check(BpmnElement element, FindingList findings)
    {
        foreach (var attribute in element.Attributes.Where(attribute => !element.Is("errorEventDefinition")
            || element.Parent!.Kind is not ("boundaryEvent" or "startEvent")
            || attribute.Name is not ("errorCodeVariable" or "errorMessageVariable")))
        {
            CheckName(element, attribute.Namespace, attribute.Name, $"The attribute '{attribute.Name}'", findings,
                (attribute.Line, attribute.Column));
        }

        foreach (var extension in element.Extensions)
        {
            if (!Read.TryGetValue((OwnOrNone(extension), extension.Kind), out var owners) || !owners.Contains(element.Kind))
            {
                var space = extension.Namespace is "" or BpmnNamespace.Model ? "unknown" : extension.Namespace;
                CheckName(extension, space, extension.Kind, $"The extension '{extension.Kind}'", findings,
                    (extension.Line, extension.Column));
            }
        }

        foreach (var part in element.Children.Where(part => part.Namespace == BpmnNamespace.Model))
        {
            if (part.Kind is "dataInputAssociation" or "dataOutputAssociation")
            {
                if (part.Children.Exists(child => child.Is("assignment") || child.Is("transformation")))
                {
                    findings.Add(part, "Data associations that compute are not imported. Use zeebe:ioMapping or camunda:inputOutput.");
                }
            }
            else if (element.Kind is not ("process" or "subProcess") && RefusalOf(part.Kind) is { } refusal
                && !(part.Kind == ElementLoop.Kind && BpmnLoops.Covers(element)))
            {
                findings.Add(part, refusal);
            }
        }

        CheckFlags(element, findings);
        if (element.Flag("isForCompensation"))
        {
            findings.Add(element, RefusedEvents["compensateEventDefinition"]);
        }

        if ((element.Attribute("startQuantity") ?? "1") != "1" || (element.Attribute("completionQuantity") ?? "1") != "1")
        {
            findings.Add(element, "Numbers of tokens other than 1 (startQuantity, completionQuantity) are not imported. Remove them.");
        }
    }

    /// <summary>Attributes that are true or false, and have another value.</summary>
    public static void CheckFlags(BpmnElement element, FindingList findings)
    {
        foreach (var flag in element.Attributes.Where(attribute => attribute.Namespace.Length == 0 && Flags.Contains(attribute.Name)
            && BpmnElement.FlagOf(attribute.Value) is null))
        {
            findings.Add(element, flag.Line, flag.Column, $"'{BpmnExpressions.Shown(flag.Value)}' is no value of the attribute "
                + $"'{flag.Name}'. Write true or false.");
        }
    }

    // The extensions of dialects that have no namespace of their own stand in that of the standard.
    private static string OwnOrNone(BpmnElement extension) =>
        extension.Namespace is BpmnNamespace.Zeebe or BpmnNamespace.Camunda ? extension.Namespace : "";

    private static void CheckName(
        BpmnElement at, string space, string name, string what, FindingList findings, (int Line, int Column) place)
    {
        var isKnown = space == BpmnNamespace.Camunda ? HarmlessOfCamunda7.Contains(name)
            : space == BpmnNamespace.Zeebe ? HarmlessOfCamunda8.Contains(name) : BpmnNamespace.IsHarmless(space);
        if (!isKnown)
        {
            findings.Add(at, place.Line, place.Column, $"{what} of "
                + $"'{(space == "unknown" ? "no known dialect" : BpmnExpressions.Shown(space))}' "
                + "is not imported here, and may change what the element does. "
                + (Advice.GetValueOrDefault(name) ?? "Remove it, or say the same with elements that are imported."));
        }
    }
}
