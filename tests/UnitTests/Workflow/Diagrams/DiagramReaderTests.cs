using Workflow.Diagrams;
using Workflow.Diagrams.ElkJson;
using Workflow.Diagrams.Layout;

namespace UnitTests.Workflow.Diagrams;

/// <summary>
/// Writes what other programs are to read into <c>TestResults/diagrams</c>; <c>readers.mjs</c> beside this file gives
/// it to them, and counts the crossings of elkjs on the same graphs.
/// </summary>
public sealed class DiagramReaderTests
{
    private static readonly string Results = Path.Combine(Checkout.Root, "TestResults", "diagrams");

    [Fact]
    public void Every_sample_is_written_in_every_format()
    {
        Directory.CreateDirectory(Results);
        foreach (var sample in SampleDiagram.All)
        {
            foreach (var format in Enum.GetValues<DiagramFormat>())
            {
                var text = DiagramRenderer.Render(sample.Definition, format, sample.Overlay);
                Assert.EndsWith("\n", text, StringComparison.Ordinal);
                File.WriteAllText(Path.Combine(Results, $"{sample.Name}.{format.ToString().ToLowerInvariant()}"), text);
            }
        }
    }

    /// <summary>The table of the README, of which the column of elkjs is checked by <c>readers.mjs</c>.</summary>
    [Fact]
    public void Crossings_of_thirty_graphs_are_those_of_the_table()
    {
        var graphs = Enumerable.Range(1, 30).Select(i =>
        {
            var graph = GeneratedDefinitions.Graph(i, 10 + (2 * i));
            var crossings = LayoutChecks.Crossings(LayeredLayout.Place(graph).Edges.Select(edge => edge.Points));
            return (Name: $"generated-{i}", Graph: graph, Crossings: crossings);
        }).ToList();
        var json = new JsonArray([.. graphs.Select(one => new JsonObject
        {
            ["name"] = one.Name, ["nodes"] = one.Graph.Nodes.Count, ["edges"] = one.Graph.Edges.Count,
            ["crossings"] = one.Crossings,
            ["elk"] = JsonNode.Parse(ElkJsonRenderer.Render(one.Graph)),
        })]);
        Directory.CreateDirectory(Results);
        File.WriteAllText(Path.Combine(Results, "crossings.json"), json.ToJsonString());

        var table = File.ReadAllText(Path.Combine(Checkout.Root, "src", "Workflow", "Diagrams", "README.md"));
        Assert.All(graphs, one => Assert.Contains(
            string.Create(
                CultureInfo.InvariantCulture, $"\n| {one.Name} | {one.Graph.Nodes.Count} | {one.Graph.Edges.Count} | {one.Crossings} | "), table,
            StringComparison.Ordinal));
    }
}
