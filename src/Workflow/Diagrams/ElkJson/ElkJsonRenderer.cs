using System.Text.Encodings.Web;

namespace Workflow.Diagrams.ElkJson;

/// <summary>
/// Writes a graph as ELK JSON, with sizes and without places: input of elkjs, or of any layouter of the Eclipse Layout
/// Kernel. What is inside a sub-process is its children; how large it is, the layouter finds out.
/// </summary>
public static class ElkJsonRenderer
{
    private static readonly JsonWriterOptions Options = new()
    {
        Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, MaxDepth = 10_000,
    };

    public static string Render(DiagramGraph graph, DiagramOverlay? overlay = null)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream, Options))
        {
            new Writer(json, graph, overlay).Write();
        }

        return Encoding.UTF8.GetString(stream.ToArray()) + "\n";
    }

    private sealed class Writer(Utf8JsonWriter json, DiagramGraph graph, DiagramOverlay? overlay)
    {
        private const int Margin = 24;
        private readonly (ILookup<string, DiagramNode> Nodes, ILookup<string, DiagramEdge> Edges) _levels =
            graph.Levels();
        private readonly ILookup<string, DiagramEdge> _exits =
            graph.Edges.ToLookup(edge => edge.From, StringComparer.Ordinal);

        public void Write()
        {
            json.WriteStartObject();
            json.WriteString("id", "root");
            json.WriteStartObject("layoutOptions");
            WriteAlgorithm();
            json.WriteEndObject();
            WriteLevel("");
            json.WriteEndObject();
        }

        private void WriteAlgorithm()
        {
            json.WriteString("elk.algorithm", "layered");
            json.WriteString("elk.direction", "DOWN");
            json.WriteString("elk.edgeRouting", "ORTHOGONAL");
        }

        private void WriteLevel(string parent)
        {
            json.WriteStartArray("children");
            foreach (var node in _levels.Nodes[parent])
            {
                WriteNode(node);
            }

            json.WriteEndArray();
            json.WriteStartArray("edges");
            foreach (var edge in _levels.Edges[parent])
            {
                json.WriteStartObject();
                json.WriteString("id", edge.Id);
                WriteList("sources", edge.From);
                WriteList("targets", edge.To);
                if (FigureSizes.LabelOf(edge) is { } label)
                {
                    WriteLabels(label);
                }

                json.WriteEndObject();
            }

            json.WriteEndArray();
        }

        private void WriteNode(DiagramNode node)
        {
            var exits = _exits[node.Id].ToList();
            var figure = FigureSizes.Of(node, exits.Count, exits.Count(edge => edge.Kind.IsBoundary()));
            var isFrame = node.Kind == NodeKind.SubProcess;
            json.WriteStartObject();
            json.WriteString("id", node.Id);
            json.WriteNumber("width", figure.Width);
            json.WriteNumber("height", figure.Height);
            json.WriteStartObject("layoutOptions");
            var placement = figure.TextBeside ? "[OUTSIDE, V_CENTER, H_RIGHT]" : "[INSIDE, V_CENTER, H_CENTER]";
            json.WriteString("elk.nodeLabels.placement", isFrame ? "[INSIDE, V_TOP, H_LEFT]" : placement);
            if (isFrame)
            {
                WriteAlgorithm();
                json.WriteString("elk.padding", string.Create(CultureInfo.InvariantCulture,
                    $"[top={figure.ContentTop + Margin},left={Margin},bottom={Margin},right={Margin}]"));
                json.WriteString("elk.nodeSize.constraints", "[MINIMUM_SIZE, NODE_LABELS]");
                json.WriteString("elk.nodeSize.minimum",
                    string.Create(CultureInfo.InvariantCulture, $"({figure.Width},{figure.Height})"));
            }

            json.WriteEndObject();
            if (figure.Text.Lines.Count > 0)
            {
                WriteLabels(figure.Text);
            }

            if (overlay?.StateOf(node.Id) is { } state and not NodeState.None)
            {
                json.WriteString("state", JsonNamingPolicy.CamelCase.ConvertName(state.ToString()));
            }

            if (overlay?.CountsOf(node.Id) is { Total: > 0 } counts)
            {
                json.WriteNumber("active", counts.Active);
                json.WriteNumber("waiting", counts.Waiting);
                json.WriteNumber("failed", counts.Failed);
            }

            if (isFrame)
            {
                WriteLevel(node.Id);
            }

            json.WriteEndObject();
        }

        private void WriteList(string name, string value)
        {
            json.WriteStartArray(name);
            json.WriteStringValue(value);
            json.WriteEndArray();
        }

        private void WriteLabels(TextBlock block)
        {
            json.WriteStartArray("labels");
            json.WriteStartObject();
            json.WriteString("text", string.Join('\n', block.Lines.Select(line => line.Text)));
            json.WriteNumber("width", block.Width);
            json.WriteNumber("height", block.Height);
            json.WriteEndObject();
            json.WriteEndArray();
        }
    }
}
