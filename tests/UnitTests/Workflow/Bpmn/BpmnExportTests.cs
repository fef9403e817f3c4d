using UnitTests.Workflow.Building;
using UnitTests.Workflow.Diagrams;
using Workflow.Diagrams;

namespace UnitTests.Workflow.Bpmn;

/// <summary>What our own renderer exports opens again.</summary>
public sealed partial class BpmnExportTests
{
    private const int Seeds = 90;

    public static TheoryData<string> Exported =>
        new(SampleDiagram.All
            .Where(sample => (sample.Overlay is null && sample.Name != "long-names") || sample.Name == "sub-process")
            .Select(sample => sample.Name).ToArray());

    [Theory]
    [MemberData(nameof(Exported))]
    public void Exported_definition_opens_again_with_the_same_graph(string name)
    {
        var definition = SampleDiagram.All.Single(sample => sample.Name == name).Definition;

        Assert.Equal(Normal(definition.CanonicalJson), Again(definition));
    }

    [Fact]
    public void Exported_definition_imports_with_the_same_graph()
    {
        for (var seed = 0; seed < Seeds; seed++)
        {
            var definition = ArbitraryDefinitions.Make(seed);
            Assert.Equal(Normal(definition.CanonicalJson), Again(definition));
        }
    }

    [Fact]
    public void Imported_event_sub_processes_are_exported()
    {
        var imported = BpmnText.Import(
            BpmnText.Process("""<startEvent id="s" /><endEvent id="e"><terminateEventDefinition /></endEvent>"""
            + BpmnText.Sub(
                "sub", """<userTask id="u" />"""
                    + BpmnText.Handler("h0", BpmnText.Timer("PT1H"), BpmnText.Marks("a"), "h0_s>a"), "sub_s>u")
            + BpmnText.Handler("h1", BpmnText.Message("m"), BpmnText.Marks("b"), "h1_s>b")
            + BpmnText.Handler("h2", BpmnText.Error("one"), BpmnText.Marks("c"), "h2_s>c")
            + BpmnText.Handler("h3", BpmnText.Message("n"), """<userTask id="v" />""", "h3_s>v", interrupts: false)
            + BpmnText.Flows("s>sub sub>e"), BpmnText.Beside));
        var definition = Compile.Good(Compile.Json(imported[0].Json));

        Assert.Equal(Normal(definition.CanonicalJson), Again(definition));
    }

    [Fact]
    public void Ids_of_steps_do_not_depend_on_their_neighbours()
    {
        var definition = SampleDiagram.Define("d", "a", """
            "a": { "type": "waitFirst", "events": [ { "signal": "x", "next": "start_event" }, { "duration": "PT1S", "next": "a_events_0_" } ] },
            "start_event": { "type": "end" }, "a_events_0_": { "type": "end" }
            """);

        Assert.Equal(Normal(definition.CanonicalJson), Again(definition));
    }

    [Theory]
    [InlineData("x = 1", "x = 2", "a.values.x", "2")]
    [InlineData("name=\"late\"", "name=\"too late\"", "f.error", "too late")]
    [InlineData("errorCode=\"E1\"", "errorCode=\"E2\"", "f.code", "E2")]
    [InlineData(" errorCode=\"E1\"", "", "f.code", null)]
    [InlineData("cancelActivity=\"false\"", "cancelActivity=\"true\"", "b.boundary.0.interrupting", "true")]
    [InlineData("name=\"resume\"", "name=\"go\"", "b.boundary.0.signal", "go")]
    [InlineData(">PT1H<", ">PT2H<", "b.boundary.1.duration", "PT2H")]
    [InlineData("name=\"begun\"", "name=\"began\"", "startOn.0.signal", "began")]
    [InlineData("isSequential=\"false\"", "isSequential=\"true\"", "c.maxConcurrency", "1")]
    [InlineData(">3<", ">4<", "c.count", "4")]
    [InlineData("calledElement=\"part\"", "calledElement=\"piece\"", "c.definition", "piece")]
    [InlineData(">= numberOfCompletedInstances = 2<", ">= numberOfCompletedInstances = 1<", "c.completionCondition",
        "= numberOfCompletedInstances = 1")]
    public void Edits_of_an_exported_file_count(string from, string to, string member, string? expected)
    {
        var definition = Compile.Good(Compile.Json("""
            { "name": "d", "version": 1, "start": "a", "startOn": [ { "signal": "begun" } ], "steps": {
            "a": { "type": "set", "values": { "x": 1 }, "next": "c" },
            "c": { "type": "callEach", "definition": "part", "count": 3, "completionCondition": "numberOfCompletedInstances = 2", "next": "b" }, "f": { "type": "fail", "error": "late", "code": "E1" },
            "b": { "type": "task", "next": "e", "boundary": [ { "signal": "resume", "interrupting": false, "next": "e" }, { "duration": "PT1H", "next": "f" } ] },
            "e": { "type": "end" } } }
            """));
        var xml = DiagramRenderer.Render(definition, DiagramFormat.Bpmn);
        Assert.Contains(from, xml, StringComparison.Ordinal);

        var again = JsonNode.Parse(BpmnText.Import(xml.Replace(from, to, StringComparison.Ordinal))[0].Json)!;
        var path = member.Split('.');
        var found = (path[0] == "startOn" ? path : path.Prepend("steps")).Aggregate(
            (JsonNode?)again, (node, part) => int.TryParse(part, out var index) ? node?[index] : node?[part]);

        Assert.Equal(expected, found?.ToString());
    }

    [Fact]
    public void Exported_step_of_a_type_that_is_not_imported_is_refused()
    {
        var findings = BpmnText.Findings(BpmnText.Around("""
            <userTask id="x"><extensionElements><w:step xmlns:w="urn:workflow:definition" id="x">{"type":"none"}</w:step></extensionElements></userTask>
            """));

        Assert.Contains("of a type that is not imported", Assert.Single(findings).Message, StringComparison.Ordinal);
    }

    private static string Again(WorkflowDefinition definition)
    {
        var again = JsonNode.Parse(
            Assert.Single(BpmnText.Import(DiagramRenderer.Render(definition, DiagramFormat.Bpmn))).Json)!;
        again["name"] = definition.Name;
        again["version"] = definition.Version;
        return Normal(again.ToJsonString());
    }

    // Whether an expression is written with or without its sign, and with which blanks before it, is no difference.
    private static string Normal(string definition) =>
        Blanks().Replace(JsonNode.Parse(definition)!.ToJsonString(), "\"=")
            .Replace("\"when\":\"=", "\"when\":\"", StringComparison.Ordinal)
        .Replace("\"completionCondition\":\"=", "\"completionCondition\":\"", StringComparison.Ordinal);

    [GeneratedRegex("\"=\\s*")]
    private static partial Regex Blanks();
}
