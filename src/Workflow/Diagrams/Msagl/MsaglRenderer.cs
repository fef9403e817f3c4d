using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Workflow.Diagrams.Graphs;
using Workflow.Diagrams.Layout;

namespace Workflow.Diagrams.Msagl;

/// <summary>
/// Writes a placed graph in the JSON of MSAGL (Microsoft Automatic Graph Layout), which its package <c>@msagl/parser</c> reads by
/// <c>parseJSON</c>: the statements of a directed graph with texts, shapes, colours, and each node's border. There y grows upwards.
/// </summary>
public static class MsaglRenderer
{
    private static readonly JsonWriterOptions Options =
        new() { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static string Render(PlacedDiagram diagram, DiagramOverlay? overlay = null)
    {
        ArgumentNullException.ThrowIfNull(diagram);
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream, Options))
        {
            json.WriteStartObject();
            json.WriteString("type", "digraph");
            json.WriteString("id", diagram.Graph.Name);
            json.WriteStartArray("children");
            foreach (var node in diagram.Nodes)
            {
                WriteNode(json, diagram, node, overlay);
            }

            foreach (var edge in diagram.Edges)
            {
                WriteEdge(json, diagram, edge, overlay);
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(stream.ToArray()) + "\n";
    }

    private static void WriteNode(Utf8JsonWriter json, PlacedDiagram diagram, PlacedNode node, DiagramOverlay? overlay)
    {
        var colours = Palette.Light.States[overlay?.StateOf(node.Node.Id) ?? NodeState.None];
        List<string> lines = [.. node.Figure.Text.Lines.Select(line => line.Text)];
        if (overlay?.CountsOf(node.Node.Id) is { Total: > 0 } counts)
        {
            lines.Add(counts.Total.ToString("N0", CultureInfo.InvariantCulture));
        }

        json.WriteStartObject();
        json.WriteString("type", "node_stmt");
        json.WritePropertyName("node_id");
        WriteId(json, node.Node.Id);
        json.WriteStartArray("attr_list");
        WriteAttribute(json, "label", Label(lines));
        WriteAttribute(json, "shape", node.Figure.Outline switch
        {
            Outline.Box => "box",
            Outline.Circle => "circle",
            _ => "diamond",
        });
        WriteAttribute(json, "color", colours.Line);
        WriteAttribute(json, "fillcolor", colours.Fill);
        var (name, curve) = Border(node, diagram.Height);
        WriteAttribute(json, name, curve);
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void WriteEdge(Utf8JsonWriter json, PlacedDiagram diagram, PlacedEdge edge, DiagramOverlay? overlay)
    {
        json.WriteStartObject();
        json.WriteString("type", "edge_stmt");
        json.WriteStartArray("edge_list");
        WriteId(json, edge.Edge.From);
        WriteId(json, edge.Edge.To);
        json.WriteEndArray();
        json.WriteStartArray("attr_list");
        WriteAttribute(json, "id", edge.Edge.Id);
        if (edge.Label is { } label)
        {
            WriteAttribute(json, "label", Label(label.Lines.Select(line => line.Text)));
        }

        if (overlay?.Taken.Contains(edge.Edge.Id) == true)
        {
            WriteAttribute(json, "color", Palette.Light.States[NodeState.Done].Line);
        }

        // MSAGL routes edges itself; these are for other readers.
        WriteAttribute(json, "waypoints", string.Join(' ', edge.Points.Select(point => $"{N(point.X)},{N(diagram.Height - point.Y)}")));
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void WriteId(Utf8JsonWriter json, string id)
    {
        json.WriteStartObject();
        json.WriteString("type", "node_id");
        json.WriteString("id", id);
        json.WriteEndObject();
    }

    private static void WriteAttribute(Utf8JsonWriter json, string id, string value)
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
                new(box.X, middle.Y), new(box.X + half, box.Y), new(box.Right - half, box.Y), new(box.Right, middle.Y),
                new(box.Right - half, box.Bottom), new(box.X + half, box.Bottom), new(box.X, middle.Y),
            ]
            : [new(box.X, box.Y), new(box.Right, box.Y), new(box.Right, box.Bottom), new(box.X, box.Bottom), new(box.X, box.Y)];
        return ("polyline", $"{{\"points\":[{string.Join(',', corners.Distinct().Append(corners[0])
            .Select(corner => $"{{\"x\":{N(corner.X)},\"y\":{N(height - corner.Y)}}}"))}]}}");
    }

    private static string N(double value) => Math.Round(value, 2).ToString("0.##", CultureInfo.InvariantCulture);
}
