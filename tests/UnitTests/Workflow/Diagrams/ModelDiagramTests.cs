using System.Xml.Linq;
using UnitTests.Workflow.Bpmn;
using Workflow.Diagrams;
using Workflow.Diagrams.Graphs;

namespace UnitTests.Workflow.Diagrams;

/// <summary>The layout of a BPMN file: kept beside the definition, drawn as SVG.</summary>
public sealed class ModelDiagramTests
{
    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";

    /// <summary>A start, a task, a gateway that only joins, and an end.</summary>
    private static readonly string[] Shapes = ["s 0 50 36 36", "x 100 28 100 80", "g 250 43 50 50", "e 350 50 36 36"];
    private static readonly string[] Edges = ["s_x 36 68 100 68", "x_g 200 68 250 68", "g_e 300 68 350 68"];

    [Fact]
    public void Elements_stand_where_the_file_has_them()
    {
        var svg = Draw(Import(Drawn(Shapes, Edges)));
        var task = svg.Descendants(Svg + "rect").Single(rect => rect.Attribute("class")?.Value == "shape");

        // The leftmost shape is 24 px from the border.
        Assert.Equal("124 100 80",
            $"{task.Attribute("x")!.Value} {task.Attribute("width")!.Value} {task.Attribute("height")!.Value}");
        Assert.Equal(["42", "392"], svg.Descendants(Svg + "circle").Select(circle => circle.Attribute("cx")!.Value)
            .OrderBy(x => double.Parse(x, CultureInfo.InvariantCulture)));
        Assert.Contains("M60 64L124 64", svg.Descendants(Svg + "path").Select(path => path.Attribute("d")!.Value));
    }

    [Fact]
    public void Elements_without_steps_are_done_where_the_way_passed()
    {
        var definition = Import(Drawn(Shapes, Edges));
        var overlay = StateOverlay.Of(GraphBuilder.Build(definition),
            SampleDiagram.Instance(definition, InstanceState.Completed),
            SampleDiagram.History(("started", "x"), ("waiting", "x"), ("taskCompleted", "x"), ("completed", null)));

        var svg = Draw(definition, overlay);

        Assert.Equal(4, svg.Elements(Svg + "g").Count(node => node.Attribute("class")?.Value == "node done"));
        Assert.Equal(3, svg.Elements(Svg + "path").Count(path => path.Attribute("class")?.Value == "edge taken"));
    }

    [Fact]
    public void Counts_of_the_steps_of_an_element_are_summed()
    {
        var definition = Import(Encoding.UTF8.GetString(Fixtures.Read("bpmn", "order-camunda8.bpmn")));
        var graph = GraphBuilder.Build(definition);
        var overlay = new DiagramOverlay
        {
            Caption = "3",
            Counts = new Dictionary<string, NodeCounts> { ["price"] = new(1, 0, 0), ["price_2"] = new(0, 1, 1) },
            States = new Dictionary<string, NodeState> { ["price"] = NodeState.Active, ["price_2"] = NodeState.Failed },
        };

        var price = Draw(definition, overlay).Elements(Svg + "g")
            .Single(node =>
                node.Element(Svg + "title")?.Value.StartsWith("Find the price", StringComparison.Ordinal) == true);

        Assert.Contains(graph.Nodes, node => node.Id == "price_2");
        Assert.Equal("node failed", price.Attribute("class")!.Value);
        Assert.EndsWith("1 active, 1 waiting, 1 failed", price.Element(Svg + "title")!.Value, StringComparison.Ordinal);
    }

    [Fact]
    public void Inside_of_a_collapsed_sub_process_is_not_drawn()
    {
        var svg = Draw(Import(Picture(BpmnText.Process(
            """<startEvent id="s" /><endEvent id="e" />""" + BpmnText.Sub("sub", """<userTask id="u" />""", "sub_s>u")
            + BpmnText.Flows("s>sub sub>e")),
            ["s 0 50 36 36", "sub 100 28 100 80 isExpanded=\"false\"", "e 350 50 36 36"],
            ["s_sub 36 68 100 68", "sub_e 200 68 350 68"])));

        Assert.Equal(3, svg.Elements(Svg + "g").Count(group => group.Attribute("class")!.Value == "node none"));
    }

    [Fact]
    public void File_that_does_not_say_where_everything_is_has_no_layout()
    {
        Assert.NotNull(Import(Drawn(Shapes, Edges)).Layout);
        Assert.Null(Import(Drawn(Shapes[1..], Edges)).Layout);
        Assert.Null(Import(Drawn(Shapes, Edges[1..])).Layout);
        Assert.Null(Import(Drawn(["s 0 50 NaN 36", .. Shapes[1..]], Edges)).Layout);
        Assert.Null(Import(Drawn(["s 0 1e9 36 36", .. Shapes[1..]], Edges)).Layout);
    }

    [Fact]
    public void Step_that_the_layout_does_not_have_is_laid_out()
    {
        var json = JsonNode.Parse(Import(Drawn(Shapes, Edges)).Json)!;
        json["steps"]!["x"]!["next"] = "more";
        json["steps"]!["more"] = JsonNode.Parse("""{ "type": "delay", "duration": "PT1S", "next": "e" }""");

        var definition = Compile.Good(Compile.Json(json.ToJsonString()));

        Assert.NotNull(definition.Layout);
        Assert.Contains("\nmore: delay PT1S", Draw(definition).Element(Svg + "desc")!.Value, StringComparison.Ordinal);
    }

    private static string Drawn(string[] shapes, string[] edges) => Picture(BpmnText.Process("""
        <startEvent id="s" /><userTask id="x" name="Ask" /><exclusiveGateway id="g" /><endEvent id="e" />
        """ + BpmnText.Flows("s>x x>g g>e")), shapes, edges);

    private static string Picture(string file, string[] shapes, string[] edges)
    {
        var picture = string.Concat(shapes.Select(shape => shape.Split(' ')).Select(part => $"""
            <di:BPMNShape bpmnElement="{part[0]}" {string.Join(' ', part[5..])}><dc:Bounds x="{part[1]}" y="{part[2]}" width="{part[3]}" height="{part[4]}" /></di:BPMNShape>
            """)) + string.Concat(edges.Select(edge => edge.Split(' ')).Select(part => $"""
            <di:BPMNEdge bpmnElement="{part[0]}"><dd:waypoint x="{part[1]}" y="{part[2]}" /><dd:waypoint x="{part[3]}" y="{part[4]}" /></di:BPMNEdge>
            """));
        return file.Replace("</definitions>", $"""
            <di:BPMNDiagram xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:dd="http://www.omg.org/spec/DD/20100524/DI"><di:BPMNPlane bpmnElement="p">
            {picture}</di:BPMNPlane></di:BPMNDiagram></definitions>
            """, StringComparison.Ordinal);
    }

    private static WorkflowDefinition Import(string file) => Compile.Good(
        Compile.Json(BpmnText.Import(file)[0].WithVersion(1, new Dictionary<string, int>())));

    private static XElement Draw(WorkflowDefinition definition, DiagramOverlay? overlay = null) =>
        XDocument.Parse(DiagramRenderer.Render(definition, DiagramFormat.Svg, overlay)).Root!;
}
