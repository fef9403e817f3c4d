namespace Workflow.Bpmn;

/// <summary>
/// What is refused by name, with what to use instead; and what of a file has no effect on its execution.
/// </summary>
internal static class BpmnRules
{
    /// <summary>Parts of elements that describe them and do nothing.</summary>
    private static readonly HashSet<string> Descriptive =
    [
        "documentation", "extensionElements", "laneSet", "textAnnotation", "association", "group", "dataObject",
        "dataObjectReference", "dataStoreReference", "incoming", "outgoing", "auditing", "monitoring", "category",
        "categoryValueRef", "property", "supports", "supportedInterfaceRef", "rendering",
    ];

    /// <summary>
    /// Parts that are read, or that say no more than the element that they stand in, and where they mean something.
    /// </summary>
    private static readonly Dictionary<string, string[]> Parts = new(StringComparer.Ordinal)
    {
        ["script"] = ["scriptTask"],
        ["conditionExpression"] = ["sequenceFlow"],
        ["timeDate"] = ["timerEventDefinition"],
        ["timeDuration"] = ["timerEventDefinition"],
        ["timeCycle"] = ["timerEventDefinition"],
        ["condition"] = ["conditionalEventDefinition"],
        ["source"] = ["linkEventDefinition"],
        ["target"] = ["linkEventDefinition"],
        ["operationRef"] = ["messageEventDefinition"],
        ["activationCondition"] = ["complexGateway"],
        ["completionCondition"] = [ElementLoop.Kind],
        ["loopCardinality"] = [ElementLoop.Kind],
        ["loopDataInputRef"] = [ElementLoop.Kind],
        ["loopDataOutputRef"] = [ElementLoop.Kind],
        ["inputDataItem"] = [ElementLoop.Kind],
        ["outputDataItem"] = [ElementLoop.Kind],
        ["oneBehaviorEventRef"] = [ElementLoop.Kind],
        ["noneBehaviorEventRef"] = [ElementLoop.Kind],
        ["complexBehaviorDefinition"] = [ElementLoop.Kind],
        ["dataInput"] = ["intermediateThrowEvent", "endEvent"],
        ["inputSet"] = ["intermediateThrowEvent", "endEvent"],
        ["dataOutput"] = ["startEvent", "intermediateCatchEvent", "boundaryEvent"],
        ["outputSet"] = ["startEvent", "intermediateCatchEvent", "boundaryEvent"],
    };

    /// <summary>Parts that declare data or name people, and are passed over where the caller asks for that.</summary>
    private static readonly HashSet<string> Declarative =
        ["ioSpecification", "ioBinding", "resourceRole", "performer", "humanPerformer", "potentialOwner"];

    /// <summary>Elements that have others with flows between them.</summary>
    private static readonly HashSet<string> Containers =
        ["process", "subProcess", "transaction", "adHocSubProcess", "subChoreography"];

    /// <summary>Elements of a process that are not imported.</summary>
    private static readonly Dictionary<string, string> RefusedElements = new(StringComparer.Ordinal)
    {
        ["businessRuleTask"] = "Business-rule tasks are not imported: there is no decision engine. Use a service task "
            + "whose activity decides, or an exclusive gateway with conditions.",
        ["complexGateway"] =
            "Complex gateways are not imported. Use exclusive and parallel gateways that say the same.",
        ["transaction"] = "Transactions are not imported: nothing is compensated. Use an ordinary sub-process, and "
            + "lead errors to steps that undo.",
        ["adHocSubProcess"] = "Ad-hoc sub-processes are not imported. Use user tasks in an order, or a process of its "
            + "own that is called.",
        ["callChoreography"] = "Choreographies are not imported. Import the process of each participant.",
        ["choreographyTask"] = "Choreographies are not imported. Import the process of each participant.",
        ["subChoreography"] = "Choreographies are not imported. Import the process of each participant.",
        ["correlationSubscription"] = "Correlation subscriptions are not imported. Give the message a key: "
            + "zeebe:subscription correlationKey=\"= orderId\".",
        ["ioSpecification"] =
            "Data inputs and outputs of the standard are not imported. Use zeebe:ioMapping or camunda:inputOutput.",
        ["ioBinding"] = "Bindings of data to operations are not imported. Use zeebe:ioMapping or camunda:inputOutput.",
        ["resourceRole"] = "Resource roles are not imported. Use zeebe:assignmentDefinition or camunda:assignee and "
            + "camunda:candidateGroups.",
        ["performer"] = "Performers are not imported. Use zeebe:assignmentDefinition or camunda:assignee.",
        ["humanPerformer"] = "Performers are not imported. Use zeebe:assignmentDefinition or camunda:assignee.",
        ["potentialOwner"] =
            "Potential owners are not imported. Use zeebe:assignmentDefinition or camunda:candidateGroups.",
        ["standardLoopCharacteristics"] =
            "Loops of an activity are not imported. Lead back to it by an exclusive gateway.",
        [ElementLoop.Kind] = "Multi-instance is imported of call activities, sub-processes, service, send, user, "
            + "receive and script tasks. "
            + "Make this activity a process of its own, and call it by a multi-instance call activity.",
    };

    private static readonly Dictionary<string, string> RefusedEvents = new(StringComparer.Ordinal)
    {
        ["compensateEventDefinition"] = "Compensation is not imported. Lead errors to steps that undo.",
        ["cancelEventDefinition"] = "Cancel events are not imported: there are no transactions. Use an error event.",
        ["conditionalEventDefinition"] = "Conditional events are not imported: nothing watches variables. Use a "
            + "message, and an exclusive gateway.",
        ["escalationEventDefinition"] =
            "Escalation events are not imported. Use an error event, or a message to somebody who decides.",
    };

    /// <summary>Attributes that are true or false.</summary>
    private static readonly HashSet<string> Flags =
    [
        "cancelActivity", "instantiate", "isExecutable", "isForCompensation", "isInterrupting", "isSequential",
        "parallelMultiple", "propagateAllChildVariables", "propagateAllParentVariables", "triggeredByEvent",
    ];

    private static readonly HashSet<string> HarmlessOfCamunda7 =
    [
        "async", "asyncBefore", "asyncAfter", "exclusive", "jobPriority", "taskPriority", "historyTimeToLive",
        "versionTag", "formKey", "formRef", "formRefBinding", "formRefVersion", "dueDate", "followUpDate", "priority",
        "candidateStarterGroups", "candidateStarterUsers", "isStartableInTasklist", "assignee", "candidateGroups",
        "type", "topic", "resultVariable", "calledElementBinding", "calledElementVersion", "diagramRelationId",
        "modelerTemplate", "modelerTemplateVersion", "properties", "formData", "collection", "elementVariable",
        "errorMessage",
    ];

    private static readonly HashSet<string> HarmlessOfCamunda8 =
    [
        "modelerTemplate", "modelerTemplateVersion", "modelerTemplateIcon", "properties", "formDefinition", "userTask",
        "userTaskForm", "taskSchedule", "priorityDefinition", "versionTag",
    ];

    /// <summary>Extension elements and what reads them: the kinds of elements that they mean something on.</summary>
    private static readonly Dictionary<(string Namespace, string Name), string[]> Read = new()
    {
        [(BpmnNamespace.Zeebe, "taskDefinition")] = 
            ["serviceTask", "sendTask", "intermediateThrowEvent", "endEvent", "messageEventDefinition"],
        [(BpmnNamespace.Zeebe, "ioMapping")] =
        [
            "serviceTask", "sendTask", "userTask", "receiveTask", "callActivity", "intermediateCatchEvent",
            "intermediateThrowEvent", "startEvent", "endEvent",
        ],
        [(BpmnNamespace.Zeebe, "subscription")] = ["message"],
        [(BpmnNamespace.Zeebe, "calledElement")] = ["callActivity"],
        [(BpmnNamespace.Zeebe, "assignmentDefinition")] = ["userTask"],
        [(BpmnNamespace.Zeebe, "script")] = ["scriptTask"],
        [(BpmnNamespace.Zeebe, "loopCharacteristics")] = [ElementLoop.Kind],
        [(BpmnNamespace.Camunda, "inputOutput")] =
            ["serviceTask", "sendTask", "userTask", "receiveTask", "callActivity"],
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
        ["connector"] =
            "Use camunda:type=\"external\" with the topic http, and its url, method and body as input parameters.",
        ["field"] = "Use camunda:inputParameter.",
    };

    /// <summary>
    /// Whether an element of a process is one that flows lead to, or a flow, and no part of the process itself.
    /// </summary>
    public static bool DoesSomething(BpmnElement element) =>
        element.Namespace == BpmnNamespace.Model && !Descriptive.Contains(element.Kind)
        && !Parts.ContainsKey(element.Kind) && !Declarative.Contains(element.Kind) && !IsEventDefinition(element)
        && element.Kind is not (ElementLoop.Kind or "standardLoopCharacteristics" or "correlationSubscription"
            or "dataInputAssociation" or "dataOutputAssociation");

    /// <summary>A sub-process that no flow leads to: it begins by the event of its start.</summary>
    public static bool IsEventSubProcess(BpmnElement element) =>
        element.Is("subProcess") && element.Flag("triggeredByEvent");

    /// <summary>Whether an element of this kind is imported where it has an id.</summary>
    public static bool IsFlowNode(BpmnElement element) =>
        element.Kind is "startEvent" or "endEvent" or "intermediateCatchEvent"
        or "intermediateThrowEvent" or "boundaryEvent" or "task" or "manualTask" or "userTask" or "serviceTask"
        or "sendTask"
        or "receiveTask" or "scriptTask" or "callActivity" or "subProcess" or "exclusiveGateway" or "inclusiveGateway"
        or "parallelGateway"
        or "eventBasedGateway";

    /// <summary>Why an element of a process that no other finding concerns is not imported.</summary>
    public static string Refusal(BpmnElement element) => RefusalOf(element.Kind)
        ?? $"Elements of kind '{BpmnExpressions.Shown(element.Kind)}' are not imported. Say the same with tasks, "
        + "events and gateways that are.";

    public static string? RefusalOf(string element) => RefusedElements.GetValueOrDefault(element);
    public static string? RefusalOfEvent(BpmnElement definition) => definition.Is("eventDefinitionRef")
        ? $"There is no event definition '{BpmnExpressions.Shown(definition.Text.Value)}' in the file. "
            + BpmnReferences.Missing(
                definition, definition.Text.Value, "Declare it beside the process, or write it into the event.")
        : RefusedEvents.GetValueOrDefault(definition.Kind);

    /// <summary>What triggers an event; null for none.</summary>
    public static BpmnElement? EventOf(BpmnElement element, FindingList findings)
    {
        var definitions = EventsOf(element);
        var startsByAny = element.Is("startEvent") && !element.Flag("parallelMultiple")
            && definitions.TrueForAll(definition =>
                definition.Kind is "messageEventDefinition" or "signalEventDefinition");
        if (definitions.Count > 1 && !startsByAny)
        {
            findings.Add(element, "An event with several triggers is not imported. Use an event-based gateway, or one "
                + "event after the other.");
        }

        definitions.ForEach(definition => Check(definition, findings));
        return definitions.FirstOrDefault();
    }

    /// <summary>All that triggers an event.</summary>
    public static List<BpmnElement> EventsOf(BpmnElement element) => [.. element.Children.Where(IsEventDefinition)];

    /// <summary>Whether it is what triggers an event, or refers to that.</summary>
    public static bool IsEventDefinition(BpmnElement part) => part.Namespace == BpmnNamespace.Model
        && (part.Kind.EndsWith("EventDefinition", StringComparison.Ordinal) || part.Kind == "eventDefinitionRef");

    /// <summary>
    /// Attributes, extensions and parts of an element that could change what it means and that nothing here reads.
    /// </summary>
    public static void Check(BpmnElement element, FindingList findings)
    {
        foreach (var attribute in element.Attributes.Where(attribute => !element.Is("errorEventDefinition")
            || element.Parent!.Kind is not ("boundaryEvent" or "startEvent")
            || attribute.Name is not ("errorCodeVariable" or "errorMessageVariable")))
        {
            CheckName(
                element, "attribute", attribute.Namespace, attribute.Name, findings, (attribute.Line, attribute.Column),
                () => BpmnForeign.ChangesNothing(attribute));
        }

        foreach (var extension in element.Extensions.Where(extension =>
            !Read.TryGetValue((NamespaceOf(extension), extension.Kind), out var owners)
                || !owners.Contains(element.Kind)))
        {
            CheckExtension(element, extension, findings);
        }

        // An extension that stands beside the others, where the standard has none, means the same to some products.
        foreach (var part in element.Children)
        {
            if (part.Namespace != BpmnNamespace.Model)
            {
                CheckExtension(element, part, findings);
            }
            else
            {
                CheckPart(element, part, findings);
            }
        }

        CheckFlags(element, findings);
        if (element.Flag("isForCompensation"))
        {
            findings.Add(element, RefusedEvents["compensateEventDefinition"]);
        }

        if ((element.Attribute("startQuantity") ?? "1") != "1"
            || (element.Attribute("completionQuantity") ?? "1") != "1")
        {
            findings.Add(element,
                "Numbers of tokens other than 1 (startQuantity, completionQuantity) are not imported. Remove them.");
        }
    }

    /// <summary>Attributes that are true or false, and have another value.</summary>
    public static void CheckFlags(BpmnElement element, FindingList findings)
    {
        foreach (var flag in element.Attributes.Where(attribute => attribute.Namespace.Length == 0
            && Flags.Contains(attribute.Name)
            && BpmnElement.FlagOf(attribute.Value) is null))
        {
            findings.Add(element, flag.Line, flag.Column, $"'{BpmnExpressions.Shown(flag.Value)}' is no value of the "
                + $"attribute '{flag.Name}'. Write true or false.");
        }
    }

    // The extensions of dialects that have no namespace of their own stand in that of the standard.
    private static string NamespaceOf(BpmnElement extension) =>
        extension.Namespace is BpmnNamespace.Zeebe or BpmnNamespace.Camunda ? extension.Namespace : "";

    private static void CheckPart(BpmnElement element, BpmnElement part, FindingList findings)
    {
        if (part.Kind is "dataInputAssociation" or "dataOutputAssociation")
        {
            if (part.Children.Exists(child => child.Is("assignment") || child.Is("transformation")))
            {
                findings.Add(part,
                    "Data associations that compute are not imported. Use zeebe:ioMapping or camunda:inputOutput.");
            }
        }
        else if (findings.PassesOver && Declarative.Contains(part.Kind) && OnlyDeclares(element, part))
        {
            findings.PassOver(element, "element", part.Namespace, part.Kind, (part.Line, part.Column));
        }
        else if (RefusedElements.TryGetValue(part.Kind, out var refusal) && !DoesSomething(part))
        {
            if (!part.Is(ElementLoop.Kind) || !BpmnLoops.Covers(element))
            {
                findings.Add(part, refusal);
            }
        }
        else if (!MeansSomething(element, part) && RefusalOf(element.Kind) is null)
        {
            findings.Add(part, $"'{BpmnExpressions.Shown(part.Kind)}' is not known as a part of "
                + $"'{BpmnExpressions.Shown(element.Kind)}'. "
                + "Remove it, or say the same with elements that are imported.");
        }
    }

    // Data that nothing is mapped to or from; people whom nobody gives a task.
    private static bool OnlyDeclares(BpmnElement element, BpmnElement part) =>
        part.Kind is "ioSpecification" or "ioBinding"
        ? element.Kind is "task" or "manualTask"
            || !element.Children.Exists(child => child.Is("dataInputAssociation") || child.Is("dataOutputAssociation"))
        : !element.Is("userTask");

    private static bool MeansSomething(BpmnElement element, BpmnElement part)
    {
        if (Descriptive.Contains(part.Kind))
        {
            return true;
        }

        if (Parts.TryGetValue(part.Kind, out var owners))
        {
            return owners.Contains(element.Kind);
        }

        return IsEventDefinition(part)
            ? element.Kind.EndsWith("Event", StringComparison.Ordinal)
            : Containers.Contains(element.Kind);
    }

    private static void CheckExtension(BpmnElement element, BpmnElement extension, FindingList findings) =>
        CheckName(element, "extension",
            extension.Namespace is "" or BpmnNamespace.Model ? "unknown" : extension.Namespace, extension.Kind,
            findings, (extension.Line, extension.Column), () => BpmnForeign.ChangesNothing(extension));

    private static void CheckName(BpmnElement element, string kind, string space, string name, FindingList findings,
        (int Line, int Column) place, Func<bool> changesNothing)
    {
        var isKnown = space switch
        {
            BpmnNamespace.Camunda => HarmlessOfCamunda7.Contains(name),
            BpmnNamespace.Zeebe => HarmlessOfCamunda8.Contains(name),
            _ => BpmnNamespace.IsHarmless(space),
        };
        if (isKnown)
        {
            return;
        }

        if (findings.PassesOver && changesNothing())
        {
            findings.PassOver(element, kind, space == "unknown" ? "" : space, name, place);
            return;
        }

        findings.Add(element, place.Line, place.Column, $"The {kind} '{name}' of "
            + $"'{(space == "unknown" ? "no known dialect" : BpmnExpressions.Shown(space))}' "
            + "is not imported here, and may change what the element does. "
            + (Advice.GetValueOrDefault(name) ?? "Remove it, or say the same with elements that are imported."));
    }
}
