using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Workflow.Diagrams.Graphs;
using Workflow.Diagrams.Layout;

namespace Workflow.Diagrams.ElkJson;

/// <summary>
/// Writes a graph as ELK JSON, with sizes and without places: input of elkjs, or of any layouter of the Eclipse Layout Kernel.
/// </summary>
public static class ElkJsonRenderer
{
    private static readonly JsonWriterOptions Options =
        new() { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static string Render(DiagramGraph graph, DiagramOverlay? overlay = null)
    {
        ArgumentNullException.ThrowIfNull(graph);
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream, Options))
        {
            Write(json, graph, overlay);
        }

        return Encoding.UTF8.GetString(stream.ToArray()) + "\n";
    }

    private static void Write(Utf8JsonWriter json, DiagramGraph graph, DiagramOverlay? overlay)
    {
        json.WriteStartObject();
        json.WriteString("id", "root");
        json.WriteStartObject("layoutOptions");
        json.WriteString("elk.algorithm", "layered");
        json.WriteString("elk.direction", "DOWN");
        json.WriteString("elk.edgeRouting", "ORTHOGONAL");
        json.WriteEndObject();
        json.WriteStartArray("children");
        foreach (var node in graph.Nodes)
        {
            WriteNode(json, graph, node, overlay);
        }

        json.WriteEndArray();
        json.WriteStartArray("edges");
        foreach (var edge in graph.Edges)
        {
            json.WriteStartObject();
            json.WriteString("id", edge.Id);
            WriteList(json, "sources", edge.From);
            WriteList(json, "targets", edge.To);
            if (FigureSizes.LabelOf(edge) is { } label)
            {
                WriteLabels(json, label);
            }

            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void WriteNode(Utf8JsonWriter json, DiagramGraph graph, DiagramNode node, DiagramOverlay? overlay)
    {
        var exits = graph.Edges.Where(edge => edge.From == node.Id).ToList();
        var figure = FigureSizes.Of(node, exits.Count, exits.Count(edge => edge.Kind.IsBoundary()));
        json.WriteStartObject();
        json.WriteString("id", node.Id);
        json.WriteNumber("width", figure.Width);
        json.WriteNumber("height", figure.Height);
        json.WriteStartObject("layoutOptions");
        json.WriteString("elk.nodeLabels.placement", figure.TextBeside ? "[OUTSIDE, V_CENTER, H_RIGHT]" : "[INSIDE, V_CENTER, H_CENTER]");
        json.WriteEndObject();
        if (figure.Text.Lines.Count > 0)
        {
            WriteLabels(json, figure.Text);
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

        json.WriteEndObject();
    }

    private static void WriteList(Utf8JsonWriter json, string name, string value)
    {
        json.WriteStartArray(name);
        json.WriteStringValue(value);
        json.WriteEndArray();
    }

    private static void WriteLabels(Utf8JsonWriter json, TextBlock block)
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
