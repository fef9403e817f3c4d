using Workflow.Bpmn;

namespace UnitTests.Workflow.Bpmn;

/// <summary>Short ways to write BPMN files and to import them.</summary>
internal static class BpmnText
{
    /// <summary>The line on which the inside of <see cref="Process"/> begins.</summary>
    public const int FirstLine = 4;

    public static string Process(string inside, string beside = "") => $"""
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
        {beside}
        <process id="p" isExecutable="true">
        {inside}
        </process></definitions>
        """;

    /// <summary>An element <c>x</c> between a start event <c>s</c> and an end event <c>e</c>.</summary>
    public static string Around(string element, string beside = "") =>
        Process(element + Flows("s>x x>e") + """<startEvent id="s" /><endEvent id="e" />""", beside);

    /// <summary>Elements and flows, written as <c>a>b</c>.</summary>
    public static string Flows(string flows) => string.Concat(flows.Split(' ')
        .Select(flow => flow.Split('>'))
        .Select(ends => $"""<sequenceFlow id="{ends[0]}_{ends[1]}" sourceRef="{ends[0]}" targetRef="{ends[1]}" />"""));

    /// <summary>Script tasks of these ids that do something.</summary>
    public static string Tasks(string ids) =>
        string.Concat(ids.Split(' ').Select(id => $"""<scriptTask id="{id}"><script>{id} = 1</script></scriptTask>"""));

    /// <summary>Messages with a key, a signal and errors.</summary>
    public const string Beside = """
        <message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="= id" /></extensionElements></message>
        <message id="n" name="note"><extensionElements><zeebe:subscription correlationKey="= id" /></extensionElements></message>
        <signal id="g" name="alarm" /><error id="one" errorCode="E1" /><error id="two" name="Second" errorCode="E2" />
        """;

    /// <summary>Script tasks that append their id to the variable <c>t</c>.</summary>
    public static string Marks(string ids) =>
        string.Concat(
            ids.Split(' ').Select(
                id => $"<scriptTask id=\"{id}\"><script>t = concat(coalesce(t, \"\"), \"{id}\")</script></scriptTask>"));

    public static string Flow(string from, string to, string when) => $"""
        <sequenceFlow id="{from}_{to}" sourceRef="{from}" targetRef="{to}"><conditionExpression>= {when}</conditionExpression></sequenceFlow>
        """;

    public static string Message(string id) => $"<messageEventDefinition messageRef=\"{id}\" />";
    public static string Signal(string id) => $"<signalEventDefinition signalRef=\"{id}\" />";
    public static string Error(
        string? id = null) => $"<errorEventDefinition {(id is null ? "" : $"errorRef=\"{id}\"")} />";
    public static string Timer(
        string time) => $"<timerEventDefinition><timeDuration>{time}</timeDuration></timerEventDefinition>";
    public static string Until(
        string time) => $"<timerEventDefinition><timeDate>{time}</timeDate></timerEventDefinition>";
    public static string Catch(
        string id, string what) => $"<intermediateCatchEvent id=\"{id}\">{what}</intermediateCatchEvent>";

    public static string Boundary(string id, string at, string what, string more = "") =>
        $"<boundaryEvent id=\"{id}\" attachedToRef=\"{at}\" {more}>{what}</boundaryEvent>";

    /// <summary>A sub-process of this id, with the start event <c>id_s</c>.</summary>
    public static string Sub(string id, string inside, string flows) =>
        $"<subProcess id=\"{id}\"><startEvent id=\"{id}_s\" />{inside}{Flows(flows)}</subProcess>";

    /// <summary>An event sub-process of this id, with the start event <c>id_s</c>.</summary>
    public static string Handler(string id, string what, string inside, string flows, bool interrupts = true) => $"""
        <subProcess id="{id}" triggeredByEvent="true"><startEvent id="{id}_s" {(interrupts ? "" : "isInterrupting=\"false\"")}>{what}</startEvent>{inside}{Flows(flows)}</subProcess>
        """;

    public static IReadOnlyList<ImportedDefinition> Import(string xml) =>
        BpmnImporter.Import(Encoding.UTF8.GetBytes(xml)).Definitions;

    /// <summary>The steps, without where they come from.</summary>
    public static JsonObject Steps(string xml)
    {
        var steps = JsonNode.Parse(Assert.Single(Import(xml)).Json)!["steps"]!.AsObject();
        foreach (var step in steps)
        {
            step.Value!.AsObject().Remove("title");
            step.Value!.AsObject().Remove("source");
        }

        return steps;
    }

    public static IReadOnlyList<BpmnFinding> Findings(string xml) =>
        Assert.Throws<BpmnInvalidException>(() => Import(xml)).Findings;

    /// <summary>What a step leads to, in the order of its members.</summary>
    public static void Leads(JsonObject steps, string step, string expected)
    {
        string[] members = ["cases", "branches", "join", "next", "otherwise", "onTimeout", "onError"];
        var leads =
            members.Select(member => (member, value: steps[step]?[member])).Where(found => found.value is not null)
            .SelectMany(found => found.value is JsonArray many
                ? many.Select(one => one is JsonObject next ? next["next"]!.ToString() : one!.ToString())
                : [found.value!.ToString()]);
        Assert.Equal(expected, string.Join(' ', leads));
    }
}
