namespace Workflow.Diagrams.Mermaid;

/// <summary>
/// Writes a graph as a Mermaid flow chart, which Mermaid lays out itself: for pages of Markdown. A sub-process is a
/// subgraph.
/// </summary>
public static class MermaidRenderer
{
    private const int DeepestIndent = 40;

    public static string Render(DiagramGraph graph, DiagramOverlay? overlay = null)
    {
        var text = new StringBuilder("flowchart TD\n");
        text.Append(CultureInfo.InvariantCulture, $"  accTitle: {graph.Name}, version {graph.Version}\n");

        // Ids of steps may be words of the language, or begin with a digit.
        var ids = graph.Nodes.Select((node, i) => (node.Id, Name: string.Create(CultureInfo.InvariantCulture, $"n{i}")))
            .ToDictionary(pair => pair.Id, pair => pair.Name, StringComparer.Ordinal);
        AppendLevel(text, graph.Levels().Nodes, "", "  ", ids, overlay);

        foreach (var edge in graph.Edges)
        {
            var arrow = edge.Kind.IsBoundary() ? "-.->" : "-->";
            var label = string.IsNullOrEmpty(edge.Label) ? "" : $"|\"{Escape(edge.Label)}\"|";
            text.Append(CultureInfo.InvariantCulture, $"  {ids[edge.From]} {arrow}{label} {ids[edge.To]}\n");
        }

        if (overlay is not null)
        {
            AppendStates(text, graph, overlay, ids);
        }

        return text.ToString();
    }

    private static void AppendLevel(
        StringBuilder text, ILookup<string, DiagramNode> levels, string parent, string indent,
        Dictionary<string, string> ids,
        DiagramOverlay? overlay)
    {
        foreach (var node in levels[parent])
        {
            var label = Label(node, overlay);
            if (node.Kind == NodeKind.SubProcess)
            {
                text.Append(CultureInfo.InvariantCulture, $"{indent}subgraph {ids[node.Id]}[{label}]\n");
                AppendLevel(
                    text, levels, node.Id, indent.Length < DeepestIndent ? indent + "  " : indent, ids, overlay);
                text.Append(CultureInfo.InvariantCulture, $"{indent}end\n");
            }
            else
            {
                text.Append(indent).Append(ids[node.Id]).Append(Shape(node, label)).Append('\n');
            }
        }
    }

    private static void AppendStates(
        StringBuilder text, DiagramGraph graph, DiagramOverlay overlay, Dictionary<string, string> ids)
    {
        foreach (var group in graph.Nodes.Where(node => overlay.StateOf(node.Id) != NodeState.None)
            .GroupBy(node => overlay.StateOf(node.Id)).OrderBy(group => group.Key))
        {
            var colours = Palette.Light.States[group.Key];
            var name = group.Key.ToString().ToLowerInvariant();
            text.Append(CultureInfo.InvariantCulture,
                $"  classDef {name} fill:{colours.Fill},stroke:{colours.Line},color:{Palette.Light.Text}\n");
            text.Append(CultureInfo.InvariantCulture,
                $"  class {string.Join(',', group.Select(node => ids[node.Id]))} {name}\n");
        }

        var taken = Enumerable.Range(0, graph.Edges.Count).Where(i => overlay.Taken.Contains(graph.Edges[i].Id))
            .ToList();
        if (taken.Count > 0)
        {
            text.Append(CultureInfo.InvariantCulture,
                $"  linkStyle {string.Join(',', taken)} "
                    + $"stroke:{Palette.Light.States[NodeState.Done].Line},stroke-width:3px\n");
        }
    }

    private static string Label(DiagramNode node, DiagramOverlay? overlay)
    {
        // A label without any character is refused.
        List<string> lines = [node.Title.Length == 0 ? " " : Escape(node.Title)];
        if (!string.IsNullOrEmpty(node.Subtitle))
        {
            lines.Add(Escape(node.Subtitle));
        }

        if (overlay?.CountsOf(node.Id) is { Total: > 0 } counts)
        {
            lines.Add(counts.Total.ToString("N0", CultureInfo.InvariantCulture));
        }

        return $"\"{string.Join("<br/>", lines)}\"";
    }

    private static string Shape(DiagramNode node, string label) => node.Kind switch
    {
        NodeKind.Start => $"(({label}))",
        NodeKind.End or NodeKind.Terminate or NodeKind.Fail => $"((({label})))",
        NodeKind.Decide or NodeKind.WaitFirst => $"{{{label}}}",
        NodeKind.Fork or NodeKind.Join or NodeKind.Inclusive => $"{{{{{label}}}}}",
        NodeKind.Delay or NodeKind.Raise or NodeKind.Signal => $"([{label}])",
        NodeKind.Call or NodeKind.CallEach => $"[[{label}]]",
        _ => $"[{label}]",
    };

    /// <summary>
    /// Mermaid's entities: letters, digits and a few others stand for themselves, all else is written by its number.
    /// </summary>
    private static string Escape(string text)
    {
        var escaped = new StringBuilder();
        foreach (var rune in text.EnumerateRunes())
        {
            if (Rune.IsLetterOrDigit(rune)
                || (rune.IsAscii && " .,:_+-/()=".Contains((char)rune.Value, StringComparison.Ordinal)))
            {
                escaped.Append(rune.ToString());
            }
            else
            {
                escaped.Append(Rune.IsControl(rune)
                    ? " "
                    : string.Create(CultureInfo.InvariantCulture, $"#{rune.Value};"));
            }
        }

        return escaped.ToString();
    }
}
