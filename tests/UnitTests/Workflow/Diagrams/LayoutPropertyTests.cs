using System.Diagnostics;
using FsCheck;
using FsCheck.Fluent;
using Workflow.Diagrams;
using Workflow.Diagrams.Graphs;
using Workflow.Diagrams.Layout;

namespace UnitTests.Workflow.Diagrams;

/// <summary>Properties of the layout over generated definitions. A failure prints the seed and the size.</summary>
public sealed class LayoutPropertyTests
{
    private static readonly Arbitrary<(int Seed, int Size)> Sizes =
        (from seed in Gen.Choose(0, 1_000_000) from size in Gen.Choose(1, 70) select (seed, size)).ToArbitrary();

    [Fact]
    public void Nothing_overlaps_in_a_layout() =>
        Prop.ForAll(Sizes, made => LayoutChecks.Problems(Place(made)).ToList() switch
        {
            [] => true,
            var problems => throw new InvalidOperationException($"{made}: {string.Join("; ", problems.Take(5))}"),
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(150));

    /// <summary>
    /// Whatever the compiler would refuse too: edges from anywhere to anywhere, several between two nodes and from a
    /// node to itself.
    /// </summary>
    [Fact]
    public void Graphs_without_any_order_have_the_same_properties() =>
        Prop.ForAll(Sizes, made => LayoutChecks.Problems(LayeredLayout.Place(Tangle(made.Seed, 2 + (made.Size / 3))))
            .ToList() switch
        {
            [] => true,
            var problems => throw new InvalidOperationException($"{made}: {string.Join("; ", problems.Take(5))}"),
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(300));

    [Fact]
    public void Sub_processes_enclose_their_steps() =>
        Prop.ForAll(Sizes, made => LayoutChecks.Problems(Place(made, nests: true)).ToList() switch
        {
            [] => true,
            var problems => throw new InvalidOperationException($"{made}: {string.Join("; ", problems.Take(5))}"),
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(150));

    [Fact]
    public void Generated_definitions_nest_sub_processes()
    {
        var graphs = Enumerable.Range(0, 40).Select(seed => GeneratedDefinitions.Graph(seed, 60, nests: true)).ToList();
        var frames = graphs.SelectMany(graph => graph.Nodes.Where(node => node.Kind == NodeKind.SubProcess)).ToList();
        var edges = graphs.SelectMany(graph => graph.Edges
            .Where(edge => graph.Nodes.Any(node => node.Id == edge.From && node.Kind == NodeKind.SubProcess))).ToList();

        Assert.Contains(frames, frame => frame.Parent is not null);
        Assert.Superset(
            new HashSet<EdgeKind>
                { EdgeKind.Next, EdgeKind.Timeout, EdgeKind.Error, EdgeKind.BoundarySignal, EdgeKind.SideTimer },
            new HashSet<EdgeKind>(edges.Select(edge => edge.Kind)));
        Assert.Contains(edges, edge => edge.From == edge.To);
    }

    /// <summary>By which a layout is refused before it begins.</summary>
    [Fact]
    public void Bends_that_are_expected_are_those_that_a_layout_has() => Prop.ForAll(Sizes, made =>
    {
        DiagramGraph[] graphs =
            [Tangle(made.Seed, 2 + (made.Size / 3)), GeneratedDefinitions.Graph(made.Seed, made.Size)];
        var contents = new Dictionary<string, PlacedDiagram>();
        return Array.TrueForAll(graphs, graph => LayeredLayout.BendsOf(graph)
            == new LayeredGraph(graph, contents).Vertices.Count(vertex => vertex is { Node: null, Label: null }));
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(100));

    [Fact]
    public void Same_graph_is_placed_the_same() =>
        Prop.ForAll(
            Sizes, made =>
                Places(Place(made)) == Places(Place(made)) && Places(Place(made, true)) == Places(Place(made, true)))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(30));

    [Fact]
    public void Sample_pictures_have_the_same_properties() => Assert.All(SampleDiagram.All, sample =>
        Assert.Empty(LayoutChecks.Problems(LayeredLayout.Place(GraphBuilder.Build(sample.Definition)))));

    /// <summary>The largest definition there is.</summary>
    [Fact]
    public void Thousand_steps_are_placed_in_less_than_two_seconds()
    {
        var graph = GeneratedDefinitions.Graph(3, 940);
        Assert.InRange(graph.Nodes.Count, 930, 1_001);
        LayeredLayout.Place(GeneratedDefinitions.Graph(1, 50));

        AssertTakes(2, () => LayeredLayout.Place(graph));
    }

    [Fact]
    public void Nested_thousand_steps_are_placed_in_two_seconds()
    {
        var wide = GeneratedDefinitions.Graph(6, 870, nests: true);
        Assert.InRange(wide.Nodes.Count, 930, 1_400);
        Assert.InRange(wide.Nodes.Count(node => node.Kind == NodeKind.SubProcess), 30, 300);
        List<DiagramNode> nodes = [new(DiagramNode.StartId, NodeKind.Start, "start", null, "Start")];
        List<DiagramEdge> edges = [new("first", DiagramNode.StartId, "s0", EdgeKind.Next, null)];
        for (var i = 0; i < 100; i++)
        {
            var parent = i == 0 ? null : $"s{i - 1}";
            nodes.Add(new($"s{i}", NodeKind.SubProcess, $"s{i}", null, "") { Parent = parent });
            nodes.Add(new($"e{i}", NodeKind.End, $"e{i}", null, "") { Parent = parent });
            nodes.Add(new(DiagramNode.StartOf($"s{i}"), NodeKind.Start, "start", null, "") { Parent = $"s{i}" });
            edges.Add(new($"n{i}", $"s{i}", $"e{i}", EdgeKind.Next, null));
            edges.Add(new($"b{i}", DiagramNode.StartOf($"s{i}"), i == 99 ? "last" : $"s{i + 1}", EdgeKind.Next, null));
        }

        nodes.Add(new("last", NodeKind.End, "last", null, "") { Parent = "s99" });

        PlacedDiagram? deep = null;
        AssertTakes(2, () =>
        {
            LayeredLayout.Place(wide);
            deep = LayeredLayout.Place(new DiagramGraph("deep", 1, nodes, edges));
        });

        Assert.Empty(LayoutChecks.Problems(deep!));
    }

    [Fact]
    public void Thousand_steps_with_one_error_path_are_placed_in_time()
    {
        var steps = new JsonObject { ["failed"] = new JsonObject { ["type"] = "fail", ["error"] = "x" },
            ["s998"] = new JsonObject { ["type"] = "end" } };
        for (var i = 0; i < 998; i++)
        {
            steps[$"s{i}"] = new JsonObject
                { ["type"] = "invoke", ["activity"] = "echo", ["onError"] = "failed", ["next"] = $"s{i + 1}" };
        }

        var json = new JsonObject { ["name"] = "chain", ["version"] = 1, ["start"] = "s0", ["steps"] = steps };
        var graph = GraphBuilder.Build(Compile.Good(Compile.Json(json.ToJsonString())));

        PlacedDiagram? placed = null;
        AssertTakes(2, () => placed = LayeredLayout.Place(graph));
        Assert.InRange(placed!.Width, 100, 1_000);
    }

    /// <summary>The largest number of edges and bends: cases to one step, and edges into a whole chain.</summary>
    [Fact]
    public void Graphs_at_the_limits_are_placed_in_less_than_four_seconds()
    {
        const int Steps = 140;
        DiagramNode[] nodes =
            [new(DiagramNode.StartId, NodeKind.Start, "start", null, "Start"),
                .. Enumerable.Range(0, Steps).Select(i => Decide(i))];
        var wide = new DiagramGraph("wide", 1, nodes[..3],
            [Edge(DiagramNode.StartId, 0),
                .. Enumerable.Range(1, DiagramRenderer.MaxEdges - 1).Select(i => Edge("n0", 1, $"b = {i}"))]);
        var chain = new DiagramGraph("chain", 1, nodes,
        [
            Edge(DiagramNode.StartId, 0), .. Enumerable.Range(1, Steps - 1).Select(i => Edge($"n{i - 1}", i)),
            .. Enumerable.Range(2, Steps - 2)
                .SelectMany(i => new[] { Edge("n0", i, "far"), Edge($"n{Steps - 1}", i, "back") }),
        ]);

        Assert.Equal(DiagramRenderer.MaxEdges, wide.Edges.Count);
        Assert.InRange(LayeredLayout.BendsOf(chain), DiagramRenderer.MaxBends * 0.9, DiagramRenderer.MaxBends);
        Assert.All(new[] { wide, chain }, graph => AssertTakes(4, () => LayeredLayout.Place(graph)));

        static DiagramNode Decide(int i) => new($"n{i}", NodeKind.Decide, $"n{i}", null, "");
        static DiagramEdge Edge(string from, int to, string? label = null) =>
            new($"{from}:{to}{label}", from, $"n{to}", EdgeKind.Case, label);
    }

    /// <summary>
    /// A step more somewhere, and most of the others stay where they were sideways. Rows below it go down together;
    /// that counts as no move.
    /// </summary>
    [Fact]
    public void Step_more_moves_few_others()
    {
        List<double> moved = [];
        for (var seed = 1; seed <= 60; seed++)
        {
            var json = GeneratedDefinitions.MakeJson(seed, 30);
            var before = LayeredLayout.Place(Graph(json));
            var steps = json["steps"]!.AsObject();
            var at = steps.Where(step => step.Value!["type"]!.GetValue<string>() is not ("join" or "fail"))
                .ElementAt(seed % 10);
            var changed = JsonNode.Parse(json.ToJsonString())!.AsObject();
            Insert(changed, at.Key);
            moved.Add(Moved(before, LayeredLayout.Place(Graph(changed))));
        }

        moved.Sort();
        Assert.InRange(moved[moved.Count / 2], 0, 0.05);
        Assert.InRange(moved.Average(), 0, 0.2);
    }

    [Fact]
    public void Other_texts_in_a_step_of_the_same_size_move_nothing()
    {
        var json = GeneratedDefinitions.MakeJson(7, 40);
        var before = Places(LayeredLayout.Place(Graph(json)));
        var step = json["steps"]!.AsObject().First(step => step.Value!["type"]!.GetValue<string>() == "invoke").Value!
            .AsObject();
        step["activity"] = "http";

        Assert.Equal(before, Places(LayeredLayout.Place(Graph(json))));
    }

    [Theory]
    [InlineData("overlaps", 0, 0, 40, 0)]
    [InlineData("runs through", 0, 90, 0, -200)]
    [InlineData("does not begin on the border", 0, 0, 0, 3)]
    public void Checks_find_what_is_wrong(string problem, double nodeX, double nodeY, double otherX, double startY)
    {
        var placed = LayeredLayout.Place(GraphBuilder.Build(SampleDiagram.All[0].Definition));
        var nodes = placed.Nodes.ToList();
        nodes[2] = nodes[2] with { Shape = Moved(nodes[2].Shape, nodeX, nodeY) };
        if (otherX > 0)
        {
            nodes[1] = nodes[1] with { Shape = Moved(nodes[2].Shape, otherX, 0) };
        }

        var edges = placed.Edges.ToList();
        edges[1] = edges[1]
            with { Points =
                [edges[1].Points[0] with { Y = edges[1].Points[0].Y + startY }, .. edges[1].Points.Skip(1)] };

        Assert.Contains(LayoutChecks.Problems(placed with { Nodes = nodes, Edges = edges }), found =>
            found.Contains(problem, StringComparison.Ordinal));
    }

    [Fact]
    public void Step_outside_its_sub_process_is_found()
    {
        var placed = LayeredLayout.Place(
            GraphBuilder.Build(SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition));
        var frame = placed.Nodes.Single(node => node.Node.Id == "check");
        Assert.Equal(frame.Shape.Bottom, placed.Edges.First(edge => edge.Edge.Id == "check:onError").Boundary.Y, 6);

        Assert.Contains("look is not inside of check",
            Problems(node => node.Node.Id == "look", node => node with { Shape = Moved(node.Shape, 5000, 0) }));
        Assert.Contains("check overlaps paid",
            Problems(node => node.Node.Id == "paid", node => node with { Shape = Moved(frame.Shape, 5, 5) }));
        Assert.Contains("look overlaps text of check",
            Problems(node => node.Node.Id == "look", node => node with { Shape = frame.Text }));

        List<string> Problems(Func<PlacedNode, bool> which, Func<PlacedNode, PlacedNode> change) =>
            [.. LayoutChecks.Problems(
                placed with { Nodes = [.. placed.Nodes.Select(node => which(node) ? change(node) : node)] })];
    }

    [Fact]
    public void Overlapping_lines_and_crossings_are_found()
    {
        var placed = LayeredLayout.Place(GraphBuilder.Build(SampleDiagram.All[0].Definition));
        var edges = placed.Edges.ToList();
        edges[1] = edges[1] with { Points = edges[0].Points };
        Assert.Contains(LayoutChecks.Problems(placed with { Edges = edges }),
            found => found.Contains("lie on each other", StringComparison.Ordinal));

        IReadOnlyList<Place> level = [new(0, 5), new(10, 5)];
        IReadOnlyList<Place> upright = [new(5, 0), new(5, 10)];
        Assert.Equal(1, LayoutChecks.Crossings([level, upright, upright]));
        Assert.Equal(0, LayoutChecks.Crossings([level, [new(5, 5), new(5, 10)]]));
    }

    internal static DiagramGraph Tangle(int seed, int nodes)
    {
        var random = new Random(seed);
        NodeKind[] kinds =
            [NodeKind.Set, NodeKind.Decide, NodeKind.Invoke, NodeKind.Delay, NodeKind.Join, NodeKind.End];
        List<DiagramNode> made = [new(DiagramNode.StartId, NodeKind.Start, "start", null, "Start")];
        made.AddRange(
            Enumerable.Range(1, nodes)
                .Select(i => new DiagramNode($"n{i}", kinds[random.Next(kinds.Length)], $"n{i}", null, "")));
        var edges = Enumerable.Range(0, random.Next(nodes, 3 * nodes)).Select(i =>
        {
            var from = made[random.Next(made.Count)];
            var kind = from.Kind == NodeKind.Invoke ? (EdgeKind)random.Next(6) : (EdgeKind)random.Next(4);
            return new DiagramEdge($"e{i}", from.Id, made[random.Next(1, made.Count)].Id, kind,
                random.Next(3) == 0 ? $"label {i}" : null);
        });
        return new DiagramGraph("tangle", 1, made, [.. edges]);
    }

    private static PlacedDiagram Place((int Seed, int Size) made, bool nests = false) =>
        LayeredLayout.Place(GeneratedDefinitions.Graph(made.Seed, made.Size, nests));

    private static Box Moved(Box box, double x, double y) => box with { X = box.X + x, Y = box.Y + y };

    private static DiagramGraph Graph(JsonObject json) =>
        GraphBuilder.Build(Compile.Good(Compile.Json(json.ToJsonString())));

    // Before the step, so that what leads to it leads to the new one.
    private static void Insert(JsonObject definition, string before)
    {
        var text = definition["steps"]!.ToJsonString();
        text = text.Replace($"\"next\":\"{before}\"", "\"next\":\"added\"", StringComparison.Ordinal)
            .Replace($"\"otherwise\":\"{before}\"", "\"otherwise\":\"added\"", StringComparison.Ordinal);
        var steps = JsonNode.Parse(text)!.AsObject();
        if (!text.Contains("\"added\"", StringComparison.Ordinal))
        {
            if (definition["start"]!.GetValue<string>() != before)
            {
                return;
            }

            definition["start"] = "added";
        }

        steps["added"] =
            new JsonObject { ["type"] = "set", ["values"] = new JsonObject { ["a"] = 1 }, ["next"] = before };
        definition["steps"] = steps;
    }

    // The share of the nodes that moved sideways otherwise than most did.
    private static double Moved(PlacedDiagram before, PlacedDiagram after)
    {
        var now = after.Nodes.ToDictionary(node => node.Node.Id, node => node.Shape.Middle);
        var shifts = before.Nodes.Select(node => now[node.Node.Id].X - node.Shape.Middle.X).Order().ToList();
        var common = shifts[shifts.Count / 2];
        return shifts.Count(shift => Math.Abs(shift - common) > 1) / (double)shifts.Count;
    }

    private static string Places(PlacedDiagram placed) =>
        string.Join('\n', placed.Nodes.Select(node => $"{node.Node.Id} {node.Shape}")
        .Concat(placed.Edges.Select(edge => $"{edge.Edge.Id} {string.Join(' ', edge.Points)} {edge.LabelBox}")));

    /// <summary>
    /// Asserts the processor time of this thread, as of a processor that sorts a million numbers in 0.1 s: one that is
    /// slower, or shared with others, has longer. The shortest of three sorts counts, and one of three attempts
    /// suffices: a disturbance makes nothing shorter.
    /// </summary>
    internal static void AssertTakes(double seconds, Action work)
    {
        const double UsualSort = 0.1;
        var sort = Enumerable.Range(0, 3).Min(_ => Taken(Sort));
        var taken = double.MaxValue;
        for (var attempt = 0; attempt < 3 && taken > seconds; attempt++)
        {
            taken = Taken(work) * UsualSort / sort;
        }

        Assert.InRange(taken, 0, seconds);

        static void Sort()
        {
            var numbers = new int[1_000_000];
            new Random(1).NextBytes(System.Runtime.InteropServices.MemoryMarshal.AsBytes(numbers.AsSpan()));
            Array.Sort(numbers);
        }

        static double Taken(Action work)
        {
            var before = ProcessorTime();
            work();
            return (ProcessorTime() - before).TotalSeconds;
        }
    }

    private static TimeSpan ProcessorTime() => File.Exists("/proc/thread-self/schedstat")
        ? TimeSpan.FromMicroseconds(long.Parse(File.ReadAllText("/proc/thread-self/schedstat").Split(' ')[0],
            System.Globalization.CultureInfo.InvariantCulture) / 1000)
        : TimeSpan.FromSeconds(Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency);
}
