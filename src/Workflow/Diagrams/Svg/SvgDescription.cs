namespace Workflow.Diagrams.Svg;

/// <summary>The picture in words.</summary>
internal static class SvgDescription
{
    public static string Of(DiagramGraph graph, DiagramOverlay? overlay)
    {
        var exits = graph.Edges.ToLookup(edge => edge.From, StringComparer.Ordinal);
        var names = graph.Nodes.ToDictionary(node => node.Id, node => node.Name, StringComparer.Ordinal);
        var text = new StringBuilder();
        var steps = graph.Nodes.Count(node => node is { IsStep: true, Kind: not (NodeKind.Start or NodeKind.Lane) });
        text.Append(CultureInfo.InvariantCulture, $"Workflow {graph.Name}, version {graph.Version}, {steps} steps");
        text.Append(overlay is null ? "." : $"; {TextMeasure.Plain(overlay.Caption)}.");
        foreach (var node in graph.Nodes)
        {
            text.Append(
                CultureInfo.InvariantCulture, $"\n{TextMeasure.Plain(node.Description)}{State(overlay, node.Id)}");
            var targets = exits[node.Id].Select(edge => TextMeasure.Plain(names[edge.To])
                + (edge.Label is null ? "" : $" ({TextMeasure.Plain(edge.Label)})")).ToList();
            text.Append(targets.Count == 0 ? "." : $"; leads to {string.Join(", ", targets)}.");
        }

        return text.ToString();
    }

    /// <summary>The state of a node after a comma; nothing where it has none.</summary>
    public static string State(DiagramOverlay? overlay, string node)
    {
        if (overlay is null)
        {
            return "";
        }

        var counts = overlay.CountsOf(node);
        if (counts.Total > 0)
        {
            (int Count, string Name)[] parts =
                [(counts.Active, "active"), (counts.Waiting, "waiting"), (counts.Failed, "failed")];
            return ", " + string.Join(", ", parts.Where(part => part.Count > 0)
                .Select(part => string.Create(CultureInfo.InvariantCulture, $"{part.Count:N0} {part.Name}")));
        }

        var state = overlay.StateOf(node);
        return state == NodeState.None ? "" : $", {SvgStyle.Word(state)}";
    }
}
