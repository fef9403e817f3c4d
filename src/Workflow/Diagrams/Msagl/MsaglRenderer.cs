using System.Text.Encodings.Web;

namespace Workflow.Diagrams.Msagl;

/// <summary>
/// Writes a placed graph in the JSON of MSAGL (Microsoft Automatic Graph Layout), which its package
/// <c>@msagl/parser</c> reads by <c>parseJSON</c>: the statements of a directed graph with texts, shapes, colours, and
/// each node's border. There y grows upwards. A sub-process is a subgraph, which holds its own nodes and edges.
/// </summary>
public static class MsaglRenderer
{
    private static readonly JsonWriterOptions Options = new()
    {
        Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, MaxDepth = 10_000,
    };

    public static string Render(PlacedDiagram diagram, DiagramOverlay? overlay = null)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream, Options))
        {
            json.WriteStartObject();
            json.WriteString("type", "digraph");
            json.WriteString("id", diagram.Graph.Name);
            json.WriteStartArray("children");
            new Writer(json, diagram, overlay).WriteLevel("");
            json.WriteEndArray();
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(stream.ToArray()) + "\n";
    }

    private sealed class Writer(Utf8JsonWriter json, PlacedDiagram diagram, DiagramOverlay? overlay)
    {
        private readonly double _height = diagram.Height;
        private readonly (ILookup<string, DiagramNode> Nodes, ILookup<string, DiagramEdge> Edges) _levels =
            diagram.Graph.Levels();
        private readonly Dictionary<string, PlacedNode> _nodes =
            diagram.Nodes.ToDictionary(node => node.Node.Id, StringComparer.Ordinal);
        private readonly Dictionary<string, PlacedEdge> _edges =
            diagram.Edges.ToDictionary(edge => edge.Edge.Id, StringComparer.Ordinal);

        public void WriteLevel(string parent)
        {
            foreach (var node in _levels.Nodes[parent])
            {
                WriteNode(_nodes[node.Id]);
            }

            // An edge stands where its ends do: a reader looks for them in the same graph.
            foreach (var edge in _levels.Edges[parent])
            {
                WriteEdge(_edges[edge.Id]);
            }
        }

        private void WriteNode(PlacedNode node)
        {
            if (node.Figure.Outline != Outline.Frame)
            {
                json.WriteStartObject();
                json.WriteString("type", "node_stmt");
                json.WritePropertyName("node_id");
                WriteId(node.Node.Id);
                WriteAttributes(node);
                json.WriteEndObject();
                return;
            }

            json.WriteStartObject();
            json.WriteString("type", "subgraph");
            json.WriteString("id", node.Node.Id);
            json.WriteStartArray("children");
            json.WriteStartObject();
            json.WriteString("type", "attr_stmt");
            json.WriteString("target", "graph");
            WriteAttributes(node);
            json.WriteEndObject();
            WriteLevel(node.Node.Id);
            json.WriteEndArray();
            json.WriteEndObject();
        }

        private void WriteAttributes(PlacedNode node)
        {
            var colours = Palette.Light.States[overlay?.StateOf(node.Node.Id) ?? NodeState.None];
            List<string> lines = [.. node.Figure.Text.Lines.Select(line => line.Text)];
            if (overlay?.CountsOf(node.Node.Id) is { Total: > 0 } counts)
            {
                lines.Add(counts.Total.ToString("N0", CultureInfo.InvariantCulture));
            }

            json.WriteStartArray("attr_list");
            WriteAttribute("label", Label(lines));
            WriteAttribute("shape", node.Figure.Outline switch
            {
                Outline.Box or Outline.Frame => "box",
                Outline.Circle => "circle",
                _ => "diamond",
            });
            WriteAttribute("color", colours.Line);
            WriteAttribute("fillcolor", colours.Fill);
            var (name, curve) = Border(node, _height);
            WriteAttribute(name, curve);
            json.WriteEndArray();
        }

        private void WriteEdge(PlacedEdge edge)
        {
            json.WriteStartObject();
            json.WriteString("type", "edge_stmt");
            json.WriteStartArray("edge_list");
            WriteId(edge.Edge.From);
            WriteId(edge.Edge.To);
            json.WriteEndArray();
            json.WriteStartArray("attr_list");
            WriteAttribute("id", edge.Edge.Id);
            if (edge.Label is { } label)
            {
                WriteAttribute("label", Label(label.Lines.Select(line => line.Text)));
            }

            if (overlay?.Taken.Contains(edge.Edge.Id) == true)
            {
                WriteAttribute("color", Palette.Light.States[NodeState.Done].Line);
            }

            // MSAGL routes edges itself; these are for other readers.
            WriteAttribute(
                "waypoints", string.Join(' ', edge.Points.Select(point => $"{N(point.X)},{N(_height - point.Y)}")));
            json.WriteEndArray();
            json.WriteEndObject();
        }

        private void WriteId(string id)
        {
            json.WriteStartObject();
            json.WriteString("type", "node_id");
            json.WriteString("id", id);
            json.WriteEndObject();
        }

        private void WriteAttribute(string id, string value)
        {
            json.WriteStartObject();
            json.WriteString("type", "attr");
            json.WriteString("id", id);
            json.WriteString("eq", value);
            json.WriteEndObject();
        }

        // A backslash and an n, as DOT has it.
        private static string Label(IEnumerable<string> lines) => string.Join("\\n", lines);

        private static (string Name, string Curve) Border(PlacedNode node, double height)
        {
            var (box, middle) = (node.Shape, node.Shape.Middle);
            var half = box.Height / 2;
            Place[] corners = node.Figure.Outline == Outline.Diamond
                ? [
                    new(box.X, middle.Y), new(box.X + half, box.Y), new(box.Right - half, box.Y),
                    new(box.Right, middle.Y),
                    new(box.Right - half, box.Bottom), new(box.X + half, box.Bottom), new(box.X, middle.Y),
                ]
                : [new(box.X, box.Y), new(box.Right, box.Y), new(box.Right, box.Bottom), new(box.X, box.Bottom),
                    new(box.X, box.Y)];
            return ("polyline", $"{{\"points\":[{string.Join(',', corners.Distinct().Append(corners[0])
                .Select(corner => $"{{\"x\":{N(corner.X)},\"y\":{N(height - corner.Y)}}}"))}]}}");
        }

        private static string N(double value) => Math.Round(value, 2).ToString("0.##", CultureInfo.InvariantCulture);
    }
}
