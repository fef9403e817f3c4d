using System.Xml;
using System.Xml.Linq;
using Workflow.Diagrams;
using Workflow.Diagrams.Graphs;
using Workflow.Diagrams.Layout;

namespace UnitTests.Workflow.Diagrams;

public sealed partial class RendererTests
{
    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";
    private static readonly XNamespace Bpmn = "http://www.omg.org/spec/BPMN/20100524/MODEL";
    private static readonly XNamespace Di = "http://www.omg.org/spec/BPMN/20100524/DI";

    public static TheoryData<string> Names => [.. SampleDiagram.All.Select(sample => sample.Name)];

    [Fact]
    public void Every_type_of_step_has_its_own_shape()
    {
        var shown = SampleDiagram.All.SelectMany(sample => GraphBuilder.Build(sample.Definition).Nodes)
            .Select(node => node.Kind);
        var types = typeof(StepDefinition).Assembly.GetTypes()
            .Where(type => type.IsSubclassOf(typeof(StepDefinition)) && !type.IsAbstract);

        Assert.DoesNotContain(NodeKind.Other, shown);
        Assert.Empty(types.Select(type => type.Name).Except(SampleDiagram.All
            .SelectMany(sample => sample.Definition.Steps.Values).Select(step => step.GetType().Name)));
    }

    /// <summary>By the table of the compiler: every member that names a next step is an edge.</summary>
    [Theory]
    [MemberData(nameof(Names))]
    public void Every_member_that_leads_to_a_step_is_an_edge(string name)
    {
        var definition = Sample(name).Definition;
        using var json = JsonDocument.Parse(definition.CanonicalJson);
        var expected = json.RootElement.GetProperty("steps").EnumerateObject().SelectMany(step =>
            DefinitionMembers.StepTypes[step.Value.GetProperty("type").GetString()!].Members
                .Where(member => step.Value.TryGetProperty(member.Name, out _))
                .SelectMany(member => Targets(member, step.Value.GetProperty(member.Name)))
                .Select(to => $"{step.Name} {to}"));

        var edges = GraphBuilder.Build(definition).Edges;

        Assert.Equal(expected.Append($"{DiagramNode.StartId} {definition.Start}").Order(StringComparer.Ordinal),
            edges.Where(edge => edge.Kind != EdgeKind.Event).Select(edge => $"{StepOf(edge.From)} {edge.To}")
                .Order(StringComparer.Ordinal));
        Assert.Equal(edges.Count, edges.Select(edge => edge.Id).Distinct().Count());
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Svg_is_an_image_with_title_and_description_and_runs_nothing(string name)
    {
        var sample = Sample(name);
        var svg = XDocument.Parse(DiagramRenderer.Render(sample.Definition, DiagramFormat.Svg, sample.Overlay)).Root!;

        Assert.Equal("img", svg.Attribute("role")?.Value);
        Assert.Equal(["diagram-title", "diagram-description"],
            svg.Attribute("aria-labelledby")!.Value.Split(' ')
                .Select(id => svg.Elements().Single(element => element.Attribute("id")?.Value == id)
                .Attribute("id")!.Value));
        Assert.Equal($"{sample.Definition.Name}, version 1", svg.Element(Svg + "title")!.Value);
        Assert.All(Drawn(sample).Nodes.Where(node => node.IsStep),
            node => Assert.Contains($"\n{node.Name}: ", svg.Element(Svg + "desc")!.Value, StringComparison.Ordinal));
        Assert.All(sample.Definition.Steps.Keys,
            step => Assert.Contains(step, svg.Element(Svg + "desc")!.Value, StringComparison.Ordinal));
        Assert.All(svg.DescendantsAndSelf(), element =>
        {
            Assert.Contains(element.Name.LocalName, "svg title desc style marker rect path g circle text".Split(' '));
            Assert.DoesNotContain(element.Attributes(),
                attribute => attribute.Name.LocalName.StartsWith("on", StringComparison.OrdinalIgnoreCase)
                || attribute.Name.LocalName == "href"
                || attribute.Value.Contains("javascript:", StringComparison.OrdinalIgnoreCase));
        });
        Assert.All(UrlPattern().Matches(svg.ToString()).Select(match => match.Value),
            url => Assert.StartsWith("url(#", url, StringComparison.Ordinal));
        Assert.Contains("prefers-color-scheme:dark", svg.Element(Svg + "style")!.Value, StringComparison.Ordinal);
    }

    [Fact]
    public void Texts_have_enough_contrast_in_light_and_dark()
    {
        Assert.All(new[] { Palette.Light, Palette.Dark }, palette =>
        {
            var behind = palette.States.Values.Select(state => state.Fill).Append(palette.Page);
            Assert.All(behind, fill => Assert.All(new[] { palette.Text, palette.Muted }, text =>
                Assert.InRange(Contrast(text, fill), 4.5, 21)));
            Assert.All(palette.States.Where(state => state.Key != NodeState.None), state =>
                Assert.InRange(Contrast(state.Value.Mark, state.Value.Line), 4.5, 21));

            // Borders and edges are no text: 3 : 1 (WCAG 2.2, 1.4.11).
            Assert.All(palette.States.Values.Select(state => state.Line).Append(palette.Line), line =>
                Assert.InRange(Contrast(line, palette.Page), 3, 21));
        });
        Assert.Equal(21, Contrast("#000000", "#ffffff"), 3);
        Assert.Equal(4.48, Contrast("#777777", "#ffffff"), 2);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Bpmn_has_a_shape_for_every_node_and_an_edge_for_every_flow(string name)
    {
        var sample = Sample(name);
        var document = XDocument.Parse(DiagramRenderer.Render(sample.Definition, DiagramFormat.Bpmn, sample.Overlay));
        var process = document.Root!.Element(Bpmn + "process")!;
        var ids = document.Descendants().Select(element => element.Attribute("id")).OfType<XAttribute>()
            .Where(id => id.Parent!.Name.NamespaceName != "urn:workflow:definition").Select(id => id.Value).ToList();
        var levels = process.Descendants(Bpmn + "subProcess").Prepend(process).ToList();
        var flows = levels.Elements(Bpmn + "sequenceFlow").ToList();
        var nodes = levels.Elements().Except(flows)
            .Where(element => element.Name.LocalName is not ("extensionElements" or "incoming" or "outgoing")).ToList();
        var shapes = document.Descendants(Di + "BPMNShape").ToList();
        var edges = document.Descendants(Di + "BPMNEdge").ToList();

        Assert.Equal(ids.Count, ids.Distinct().Count());
        Assert.All(ids, id => XmlConvert.VerifyNCName(id));
        Assert.Equal(
            Ids(nodes), shapes.Select(shape => shape.Attribute("bpmnElement")!.Value).Order(StringComparer.Ordinal));
        Assert.Equal(
            Ids(flows), edges.Select(edge => edge.Attribute("bpmnElement")!.Value).Order(StringComparer.Ordinal));
        Assert.All(
            edges, edge => Assert.InRange(edge.Elements().Count(point => point.Name.LocalName == "waypoint"), 2, 100));
        Assert.All(
            flows, flow => Assert.All(
                new[] { "sourceRef", "targetRef" }, end => Assert.Contains(flow.Attribute(end)!.Value, Ids(nodes))));
        Assert.All(
            levels, level =>
                Assert.All(level.Elements(Bpmn + "sequenceFlow"), flow => Assert.All(new[] { "sourceRef", "targetRef" },
            end => Assert.Contains(
                level.Elements(), element => element.Attribute("id")?.Value == flow.Attribute(end)!.Value))));
        Assert.All(levels.Elements(Bpmn + "boundaryEvent"), boundary => Assert.Contains(
            boundary.Parent!.Elements(),
            element => element.Attribute("id")?.Value == boundary.Attribute("attachedToRef")!.Value));
        Assert.All(levels.Skip(1), frame => Assert.Equal("true",
            shapes.Single(shape => shape.Attribute("bpmnElement")!.Value == frame.Attribute("id")!.Value)
                .Attribute("isExpanded")?.Value));
        Assert.All(document.Descendants().SelectMany(element => element.Attributes().Where(attribute =>
            attribute.Name.LocalName
                is "messageRef" or "signalRef" or "errorRef" or "default" or "attachedToRef")), reference =>
            Assert.Contains(reference.Value, ids));
        Assert.Equal(sample.Definition.Steps.Keys.Order(StringComparer.Ordinal),
            document.Descendants("{urn:workflow:definition}step")
            .Select(step => step.Attribute("id")?.Value).OfType<string>().Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Step_named_like_its_definition_has_a_distinct_id()
    {
        var definition = SampleDiagram.Define("twice", "twice", """
            "twice": { "type": "delay", "duration": "PT1S", "next": "1" }, "1": { "type": "delay", "duration": "PT1S", "next": "_1" },
            "_1": { "type": "end" }
            """);
        var document = XDocument.Parse(DiagramRenderer.Render(definition, DiagramFormat.Bpmn));

        Assert.Equal(["start_event", "twice_2", "_1", "_1_2"], document.Root!.Element(Bpmn + "process")!.Elements()
            .Where(element => element.Name.LocalName is not ("sequenceFlow" or "extensionElements"))
            .Select(element => element.Attribute("id")!.Value));
    }

    [Fact]
    public void Ids_of_flows_between_the_same_steps_differ_by_a_number()
    {
        var (half, all) = (Ids(Wide(1_000)), Ids(Wide(2_000)));

        Assert.Equal(all.Count, all.Distinct(StringComparer.Ordinal).Count());
        Assert.Superset(new HashSet<string> { "d_to_e", "d_to_e_2", "d_to_e_2001" }, new HashSet<string>(all));
        Assert.InRange(all.Sum(id => id.Length) / (double)half.Sum(id => id.Length), 1.5, 2.2);
    }

    [Fact]
    public void Number_behind_an_id_makes_no_id_of_another_step()
    {
        var ids = Ids(SampleDiagram.Define("twice", "twice", """
            "twice": { "type": "delay", "duration": "PT1S", "next": "twice_2" }, "twice_2": { "type": "end" }
            """));

        Assert.Equal(ids.Count, ids.Distinct(StringComparer.Ordinal).Count());
    }

    [Fact]
    public void Each_of_several_cases_and_events_is_at_its_own_flow()
    {
        var definition = SampleDiagram.Define("several", "first", """
            "first": { "type": "waitFirst", "events": [ { "signal": "x", "next": "d" }, { "duration": "PT1S", "next": "e" }, { "signal": "y", "next": "d" } ] },
            "d": { "type": "decide", "cases": [ { "when": "= n = 1", "next": "t" }, { "when": "= n = 2", "next": "e" } ], "otherwise": "t" },
            "t": { "type": "task", "timeout": "PT5S", "onTimeout": "e", "next": "e",
              "boundary": [ { "signal": "z", "interrupting": false, "next": "e" }, { "duration": "PT7S", "next": "e" } ] },
            "e": { "type": "end" }
            """);
        var process =
            XDocument.Parse(DiagramRenderer.Render(definition, DiagramFormat.Bpmn)).Root!.Element(Bpmn + "process")!;

        Assert.Equal(
            ["message_x", "PT1S", "message_y"], process.Elements(Bpmn + "intermediateCatchEvent").Select(Waited));
        Assert.Equal(["PT5S", "message_z", "PT7S"], process.Elements(Bpmn + "boundaryEvent").Select(Waited));
        Assert.Equal(["t = n = 1", "e = n = 2"], process.Elements(Bpmn + "sequenceFlow").Where(flow => flow.HasElements)
            .Select(flow => $"{flow.Attribute("targetRef")!.Value} {flow.Value}"));

        static string Waited(XElement element) => element.Element(Bpmn + "timerEventDefinition") is { } timer
            ? timer.Elements().Last().Value
            : element.Element(Bpmn + "messageEventDefinition")!.Attribute("messageRef")!.Value;
    }

    [Fact]
    public void Characters_that_xml_cannot_hold_are_replaced_in_every_text()
    {
        var definition = SampleDiagram.Define("controls", "first", """
            "first": { "type": "waitFirst", "events": [ { "until": "= if k = \"\u0001\uFFFE\" then a else b", "next": "d" } ] },
            "d": { "type": "decide", "cases": [ { "when": "= k = \"\u0001\uFFFE\"", "next": "t" } ], "otherwise": "f" },
            "t": { "type": "task", "assignee": "= \"\u0001\uFFFE\" + k", "next": "s" },
            "s": { "type": "set", "values": { "k": "= \"\u0001\uFFFE\" + k" }, "next": "f" },
            "f": { "type": "fail", "error": "\u0001\uFFFE", "code": "= \"\u0001\uFFFE\" + k" }
            """);
        var bpmn = XDocument.Parse(DiagramRenderer.Render(definition, DiagramFormat.Bpmn));

        Assert.Equal("at if k = \"\uFFFD\uFFFD\" then a else b",
            bpmn.Descendants(Bpmn + "intermediateCatchEvent").Single().Attribute("name")!.Value);
        Assert.NotNull(XDocument.Parse(DiagramRenderer.Render(definition, DiagramFormat.Svg)).Root);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Elk_and_msagl_name_every_node_and_edge(string name)
    {
        var sample = Sample(name);
        var graph = Drawn(sample);
        using var elk =
            JsonDocument.Parse(DiagramRenderer.Render(sample.Definition, DiagramFormat.Elk, sample.Overlay));
        using var msagl =
            JsonDocument.Parse(DiagramRenderer.Render(sample.Definition, DiagramFormat.Msagl, sample.Overlay));

        var elkLevels = Levels(elk.RootElement, "").ToList();
        Assert.Equal(Sorted(graph.Nodes
            .Select(node => $"{node.Id} in {node.Parent}")), Sorted(elkLevels.SelectMany(level =>
            level.Of.GetProperty("children").EnumerateArray().Select(node => $"{Text(node, "id")} in {level.Id}"))));
        var parents = graph.Nodes.ToDictionary(node => node.Id, node => node.Parent);
        Assert.Equal(Sorted(
            graph.Edges.Select(
                edge => $"{edge.Id} {edge.From} {edge.To} in {parents[edge.From]}")), Sorted(elkLevels.SelectMany(level =>
            level.Of.GetProperty("edges").EnumerateArray()
                .Select(edge => $"{Text(edge, "id")} {edge.GetProperty("sources")[0].GetString()} "
                + $"{edge.GetProperty("targets")[0].GetString()} in {level.Id}"))));
        var statements =
            Levels(msagl.RootElement, "").SelectMany(level => level.Of.GetProperty("children").EnumerateArray()
            .Select(statement => (Parent: level.Id, Of: statement))).ToLookup(statement => Text(statement.Of, "type"));
        Assert.Equal(Sorted(graph.Nodes.Select(node => $"{node.Id} in {node.Parent}")),
            Sorted(statements["node_stmt"]
                .Select(node => $"{Text(node.Of.GetProperty("node_id"), "id")} in {node.Parent}")
                .Concat(statements["subgraph"].Select(frame => $"{Text(frame.Of, "id")} in {frame.Parent}"))));
        Assert.Equal(Sorted(graph.Edges.Select(edge => $"{edge.From} {edge.To} in {parents[edge.From]}")),
            Sorted(statements["edge_stmt"]
                .Select(edge => $"{string.Join(' ', edge.Of.GetProperty("edge_list").EnumerateArray()
                .Select(end => Text(end, "id")))} in {edge.Parent}")));

        static string Text(JsonElement of, string name) => of.GetProperty(name).GetString()!;
        static IEnumerable<string> Sorted(IEnumerable<string> lines) => lines.Order(StringComparer.Ordinal);
        static IEnumerable<(string Id, JsonElement Of)> Levels(JsonElement of, string id) =>
            of.GetProperty("children").EnumerateArray()
            .Where(child => child.TryGetProperty("children", out _))
            .SelectMany(child => Levels(child, Text(child, "id"))).Prepend((id, of));
    }

    [Fact]
    public void Mermaid_escapes_what_its_language_uses()
    {
        var text = DiagramRenderer.Render(Sample("long-names").Definition, DiagramFormat.Mermaid);

        Assert.Contains("#60;script#62;", text, StringComparison.Ordinal);
        Assert.DoesNotContain("<script", text, StringComparison.Ordinal);
        Assert.All(text.Split('\n').Where(line => line.Contains('"', StringComparison.Ordinal)), line =>
            Assert.Equal(2, line.Count(c => c == '"')));
    }

    [Fact]
    public void Sub_process_is_a_mermaid_subgraph()
    {
        var sample = Sample("sub-process");
        var mermaid = DiagramRenderer.Render(sample.Definition, DiagramFormat.Mermaid, sample.Overlay).Split('\n');
        var svg = XDocument.Parse(DiagramRenderer.Render(sample.Definition, DiagramFormat.Svg, sample.Overlay)).Root!;

        var opened = Array.FindIndex(mermaid, line => line.EndsWith("[\"check\"]", StringComparison.Ordinal));
        Assert.StartsWith("  subgraph n", mermaid[opened], StringComparison.Ordinal);
        Assert.StartsWith("    n", mermaid[opened + 1], StringComparison.Ordinal);
        Assert.Equal(2, mermaid.Count(line => line.Trim() == "end"));
        Assert.Contains("\nlook: task clerk, inside check, waiting; leads to large.", svg.Element(Svg + "desc")!.Value,
            StringComparison.Ordinal);
        var drawn = svg.Elements().ToList();
        var frame = drawn.FindIndex(
            element => element.Element(Svg + "title")?.Value.StartsWith("check: subProcess", StringComparison.Ordinal)
                == true);
        Assert.InRange(
            frame, 0,
            drawn.FindIndex(
                element => element.Attribute("class")?.Value.StartsWith("edge", StringComparison.Ordinal) == true));
        Assert.Equal("check: subProcess, active", drawn[frame].Element(Svg + "title")!.Value);
        Assert.Equal("node active", drawn[frame].Attribute("class")!.Value);
    }

    [Fact]
    public void Edges_past_the_limit_are_refused_by_the_formats_with_places()
    {
        var definition = Wide(DiagramRenderer.MaxEdges - 1);

        AssertIsRefused(
            definition, $"'wide' has {DiagramRenderer.MaxEdges + 1} edges; at most {DiagramRenderer.MaxEdges} are laid out", "join cases");
    }

    /// <summary>Each step of a chain is led to from the first, and from the last.</summary>
    [Fact]
    public void Bends_past_the_limit_are_refused_by_the_formats_with_places()
    {
        const int Steps = 400;
        var cases =
            string.Join(", ", Enumerable.Range(0, Steps).Select(i => $$"""{ "when": "= b", "next": "s{{i}}" }"""));
        var chain = Enumerable.Range(0, Steps).Select(i =>
            $$"""s{{i}}": { "type": "set", "values": { "a": 1 }, "next": "{{(i + 1 < Steps ? $"s{i + 1}" : "last")}}" }""");
        var definition = SampleDiagram.Define("deep", "first", $$"""
            "first": { "type": "decide", "cases": [ {{cases}} ], "otherwise": "s0" }, "{{string.Join(", \"", chain)}},
            "last": { "type": "decide", "cases": [ {{cases}} ], "otherwise": "e" }, "e": { "type": "end" }
            """);
        var bends = LayeredLayout.BendsOf(GraphBuilder.Build(definition));

        Assert.InRange(bends, Steps * (Steps - 10), Steps * (Steps + 10));
        AssertIsRefused(
            definition, $"'deep' pass other steps with {bends} bends; at most {DiagramRenderer.MaxBends} are laid out",
            "sub-process");
    }

    [Fact]
    public void Long_and_foreign_texts_are_measured_and_wrapped()
    {
        Assert.Equal(61, TextMeasure.Width("Helvetica!", 13), 8.0);
        Assert.Equal(["aVeryLong", "NameThatHa…"],
            TextMeasure.Wrap("aVeryLongNameThatHasTwoPartsAndMore", 13, 92, 2).Select(line => line.Text));
        Assert.All(TextMeasure.Wrap("😀😀😀😀😀😀 \ud800 \u0001x", 13, 30, 9), line =>
        {
            Assert.DoesNotContain(line.Text, c => char.IsControl(c));
            Assert.Equal(line.Text, string.Concat(line.Text.EnumerateRunes()));
        });
        Assert.Empty(TextMeasure.Wrap("  ", 13, 30, 2));
    }

    private static void AssertIsRefused(WorkflowDefinition definition, params string[] named)
    {
        Assert.All(new[] { DiagramFormat.Svg, DiagramFormat.Msagl, DiagramFormat.Bpmn }, format =>
        {
            var refused = Assert.Throws<DiagramTooLargeException>(() => DiagramRenderer.Render(definition, format));
            Assert.All(named.Append("mermaid or elk"),
                part => Assert.Contains(part, refused.Message, StringComparison.Ordinal));
        });
        Assert.All(new[] { DiagramFormat.Mermaid, DiagramFormat.Elk }, format =>
            Assert.NotEmpty(DiagramRenderer.Render(definition, format)));
    }

    // Its edges are the cases, the default and the way from the start.
    private static WorkflowDefinition Wide(int cases)
    {
        var all = string.Join(", ", Enumerable.Repeat("""{ "when": "= b", "next": "e" }""", cases));
        return SampleDiagram.Define("wide", "d", $$"""
            "d": { "type": "decide", "cases": [ {{all}} ], "otherwise": "e" }, "e": { "type": "end" }
            """);
    }

    /// <summary>Those of a BPMN file, without the steps inside.</summary>
    private static List<string> Ids(WorkflowDefinition definition) =>
        [.. XDocument.Parse(DiagramRenderer.Render(definition, DiagramFormat.Bpmn)).Descendants()
            .Where(element => element.Name.NamespaceName != "urn:workflow:definition").Attributes("id")
            .Select(id => id.Value)];

    private static DiagramGraph Drawn(SampleDiagram sample) =>
        ElementFolding.Fold(GraphBuilder.Build(sample.Definition), null).Graph;

    private static SampleDiagram Sample(string name) => SampleDiagram.All.Single(sample => sample.Name == name);

    private static IEnumerable<string> Ids(IEnumerable<XElement> elements) =>
        elements.Select(element => element.Attribute("id")!.Value).Order(StringComparer.Ordinal);

    // An event is a separate node between its step and its target.
    private static string StepOf(string node) => node == DiagramNode.StartId ? node : node.Split(':')[0];

    private static IEnumerable<string> Targets(Member member, JsonElement value) => member.Kind switch
    {
        MemberKind.Next or MemberKind.Error or MemberKind.Inside => [value.GetString()!],
        MemberKind.Branches => value.EnumerateArray().Select(branch => branch.GetString()!),
        MemberKind.Cases or MemberKind.BranchCases or MemberKind.WaitEvents or MemberKind.Boundary =>
            value.EnumerateArray().Select(one => one.GetProperty("next").GetString()!),
        _ => [],
    };

    private static double Contrast(string one, string other)
    {
        var (light, dark) = (Math.Max(Luminance(one), Luminance(other)), Math.Min(Luminance(one), Luminance(other)));
        return (light + 0.05) / (dark + 0.05);
    }

    private static double Luminance(string colour)
    {
        var parts = Convert.FromHexString(colour.AsSpan(1)).Select(part => part / 255.0)
            .Select(part => part <= 0.03928 ? part / 12.92 : Math.Pow((part + 0.055) / 1.055, 2.4)).ToArray();
        return (0.2126 * parts[0]) + (0.7152 * parts[1]) + (0.0722 * parts[2]);
    }

    [GeneratedRegex(@"url\([^)]*")]
    private static partial Regex UrlPattern();
}
