using System.Xml.Linq;
using UnitTests.Workflow.Bpmn;
using Workflow.Diagrams;
using Workflow.Diagrams.Graphs;

namespace UnitTests.Workflow.Diagrams;

/// <summary>Diagrams show what the author drew: titles, and one node for each element.</summary>
public sealed class ElementFoldingTests
{
    private const string Titled = """
        "ask": { "type": "task", "title": "Ask the clerk", "next": "e" }, "e": { "type": "end" }
        """;

    private const string Helpers = """
        "a": { "type": "invoke", "activity": "http", "source": { "element": "a" }, "next": "a_2" },
        "a_2": { "type": "delay", "duration": "PT1S", "source": { "element": "a" }, "next": "a_gives" },
        "a_gives": { "type": "decide", "cases": [ { "when": "= no", "next": "a_shared" } ], "otherwise": "b",
          "source": { "element": "a" } },
        "a_shared": { "type": "fail", "error": "no", "source": { "element": "a" } },
        "b": { "type": "task", "source": { "element": "b" }, "next": "e" }, "e": { "type": "end" }
        """;

    [Theory]
    [InlineData(DiagramFormat.Svg, ">Ask the clerk</text>")]
    [InlineData(DiagramFormat.Mermaid, "[\"Ask the clerk\"]")]
    [InlineData(DiagramFormat.Elk, "\"text\": \"Ask the clerk\"")]
    [InlineData(DiagramFormat.Msagl, "\"eq\": \"Ask the clerk\"")]
    [InlineData(DiagramFormat.Bpmn, "name=\"Ask the clerk\"")]
    public void Step_is_drawn_by_its_title(DiagramFormat format, string expected) => Assert.Contains(
        expected, DiagramRenderer.Render(SampleDiagram.Define("d", "ask", Titled), format), StringComparison.Ordinal);

    [Fact]
    public void Id_of_a_step_with_a_title_is_its_tooltip()
    {
        var svg = XDocument.Parse(
            DiagramRenderer.Render(SampleDiagram.Define("d", "ask", Titled), DiagramFormat.Svg)).Root!;

        Assert.Contains("Ask the clerk (ask): task",
            svg.Elements().Select(group => group.Elements().FirstOrDefault()?.Value));
        Assert.Contains("\nStart; leads to Ask the clerk (ask).", svg.Value, StringComparison.Ordinal);
    }

    [Fact]
    public void Steps_of_one_element_are_one_node()
    {
        var (graph, _) = Fold(SampleDiagram.Define("d", "a", Helpers), null);

        Assert.Equal([":start", "a", "b", "e"], graph.Nodes.Select(node => node.Id));
        Assert.Equal("a: invoke activity http, with a_2, a_gives, a_shared", graph.Nodes[1].Description);
        Assert.Equal(NodeKind.Invoke, graph.Nodes[1].Kind);
        Assert.Equal([":start>a", "a>b", "b>e"], graph.Edges.Select(edge => $"{edge.From}>{edge.To}"));
        Assert.Equal((EdgeKind.Next, null), (graph.Edges[1].Kind, graph.Edges[1].Label));
    }

    [Fact]
    public void Counts_and_states_of_folded_steps_are_summed()
    {
        var definition = SampleDiagram.Define("d", "a", Helpers);
        InstanceView At(InstanceState state, params InstanceWait[] waits) =>
            SampleDiagram.Instance(definition, state, waits);
        var overlay = StateOverlay.Counting(GraphBuilder.Build(definition),
        [
            At(InstanceState.Running, new InstanceWait("a", "activity", null, null, null)),
            At(InstanceState.Waiting, new InstanceWait("a_2", "delay", null, null, null)),
            At(InstanceState.Waiting, new InstanceWait("a_2", "delay", null, null, null)),
            At(InstanceState.Waiting, new InstanceWait("b", "task", null, null, null)),
            At(InstanceState.Failed) with { Error = new InstanceError("no", "a_shared") },
        ]);

        var (_, folded) = Fold(definition, overlay);

        Assert.Equal(new NodeCounts(1, 2, 1), folded!.CountsOf("a"));
        Assert.Equal(new NodeCounts(0, 1, 0), folded.CountsOf("b"));
        Assert.Equal((NodeState.Failed, NodeState.Waiting), (folded.StateOf("a"), folded.StateOf("b")));
        Assert.Equal(["a", "b"], folded.Counts.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void State_of_an_element_is_that_of_the_step_it_is_at()
    {
        var definition = SampleDiagram.Define("d", "a", Helpers);
        var overlay = StateOverlay.Of(GraphBuilder.Build(definition),
            SampleDiagram.Instance(definition, InstanceState.Waiting,
                new InstanceWait("a_2", "delay", null, null, null)),
            SampleDiagram.History(("started", "a"), ("waiting", "a_2")));

        Assert.Equal(NodeState.Done, overlay.StateOf("a"));
        Assert.Equal(NodeState.Waiting, Fold(definition, overlay).Overlay!.StateOf("a"));
    }

    [Fact]
    public void Step_that_another_element_leads_to_is_not_folded()
    {
        var (graph, _) = Fold(SampleDiagram.Define("d", "a", """
            "a": { "type": "fork", "branches": [ "b", "c" ], "join": "a_join", "source": { "element": "a" } },
            "b": { "type": "task", "source": { "element": "b" }, "next": "a_join" },
            "c": { "type": "task", "source": { "element": "c" }, "next": "a_join" },
            "a_join": { "type": "join", "source": { "element": "a" }, "next": "a_end" },
            "a_end": { "type": "end", "source": { "element": "a" } }
            """), null);

        // Where the branches end that nothing in the model joins.
        Assert.Equal([":start", "a", "b", "a_end", "c"], graph.Nodes.Select(node => node.Id));
        Assert.Equal(NodeKind.End, graph.Nodes[3].Kind);
        Assert.Equal("", graph.Nodes[3].Title);
    }

    [Fact]
    public void Way_from_an_element_to_itself_is_kept()
    {
        var (graph, _) = Fold(SampleDiagram.Define("d", "a", """
            "a": { "type": "invoke", "activity": "http", "source": { "element": "a" }, "next": "a_2" },
            "a_2": { "type": "set", "values": { "x": 1 }, "source": { "element": "a" }, "next": "more" },
            "more": { "type": "decide", "cases": [ { "when": "= x", "next": "a" } ], "otherwise": "e",
              "source": { "element": "a" } },
            "e": { "type": "end" }
            """), null);

        Assert.Equal([":start>a", "a>a", "a>e"], graph.Edges.Select(edge => $"{edge.From}>{edge.To}"));
        Assert.Equal([null, "x", "otherwise"], graph.Edges.Select(edge => edge.Label));
    }

    [Fact]
    public void Imported_element_is_one_node_with_its_name()
    {
        var imported = BpmnText.Import(Encoding.UTF8.GetString(Fixtures.Read("bpmn", "order-camunda8.bpmn")));
        var definition = Compile.Good(Compile.Json(imported[0].Json));
        var (graph, _) = Fold(definition, null);

        Assert.True(definition.Steps.Count > graph.Nodes.Count - 1);
        Assert.Equal(["Approve the order", "Find the price", "done", "large", "pay", "refused", "start"],
            graph.Nodes.Select(node => node.Title).Order(StringComparer.Ordinal));
        Assert.Contains("<bpmn:scriptTask id=\"price_2\"", DiagramRenderer.Render(definition, DiagramFormat.Bpmn),
            StringComparison.Ordinal);
    }

    private static (DiagramGraph Graph, DiagramOverlay? Overlay) Fold(
        WorkflowDefinition definition, DiagramOverlay? overlay) =>
        ElementFolding.Fold(GraphBuilder.Build(definition), overlay);
}
