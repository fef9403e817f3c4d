using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Diagrams.Bpmn;
using Workflow.Diagrams.ElkJson;
using Workflow.Diagrams.Mermaid;
using Workflow.Diagrams.Msagl;
using Workflow.Diagrams.Svg;

namespace Workflow.Diagrams;

/// <summary>
/// Draws definitions. Pure and safe to call from several threads. 1,000 steps take less than a second; what would take
/// more than one or two is refused.
/// </summary>
public static class DiagramRenderer
{
    /// <summary>
    /// The most edges that are laid out: one per case, branch, event, timeout and error, and per plain way on.
    /// </summary>
    public const int MaxEdges = 4_000;

    /// <summary>
    /// The most bends that are laid out: how often edges pass other steps on their way, those that arrive together
    /// once.
    /// </summary>
    public const int MaxBends = 20_000;

    /// <summary>The definition of an engine's canonical JSON, which was checked when it was registered.</summary>
    public static WorkflowDefinition Read(string canonicalJson)
    {
        var compilation = DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(canonicalJson), new DefinitionRules());
        return compilation.Definition
            ?? throw new ArgumentException(
                $"The definition has errors, e.g. {compilation.Errors[0].Message}", nameof(canonicalJson));
    }

    /// <summary>
    /// Draws a definition. The steps that were made from one element are one node, but for BPMN, which has every step.
    /// SVG has the layout of the definition where there is one.
    /// </summary>
    /// <param name="overlay">By <see cref="StateOverlay"/>; null draws the definition alone.</param>
    /// <exception cref="DiagramTooLargeException">
    /// It has more than <see cref="MaxEdges"/> or <see cref="MaxBends"/>, and the format is one with places.
    /// </exception>
    public static string Render(WorkflowDefinition definition, DiagramFormat format, DiagramOverlay? overlay = null)
    {
        var graph = GraphBuilder.Build(definition);
        if (format == DiagramFormat.Bpmn)
        {
            // The import opens it again with every step.
            return BpmnRenderer.Render(definition, Place(graph), overlay);
        }

        if (format == DiagramFormat.Svg && definition.Layout is { } layout
            && ModelDiagram.Find(graph, layout, definition.Source?.Element) is { } model)
        {
            return SvgRenderer.Render(model.Place(), overlay is null ? null : model.Show(overlay));
        }

        (graph, overlay) = ElementFolding.Fold(graph, overlay);
        return format switch
        {
            DiagramFormat.Elk => ElkJsonRenderer.Render(graph, overlay),
            DiagramFormat.Mermaid => MermaidRenderer.Render(graph, overlay),
            DiagramFormat.Msagl => MsaglRenderer.Render(Place(graph), overlay),
            DiagramFormat.Svg => SvgRenderer.Render(Place(graph), overlay),
            _ => throw new ArgumentOutOfRangeException(
                nameof(format), format, "Known are: " + string.Join(", ", Enum.GetNames<DiagramFormat>())),
        };
    }

    public static string MediaType(DiagramFormat format) => format switch
    {
        DiagramFormat.Svg => "image/svg+xml",
        DiagramFormat.Bpmn => "application/xml",
        DiagramFormat.Mermaid => "text/plain",
        _ => "application/json",
    };

    private static PlacedDiagram Place(DiagramGraph graph)
    {
        if (graph.Edges.Count > MaxEdges)
        {
            throw new DiagramTooLargeException(
                $"The diagram of '{graph.Name}' has {graph.Edges.Count} edges", MaxEdges,
                "join cases and events that lead to one step");
        }

        return LayeredLayout.BendsOf(graph) is > MaxBends and var bends
            ? throw new DiagramTooLargeException(
                $"The edges of the diagram of '{graph.Name}' pass other steps with {bends} bends", MaxBends,
                "put steps that belong together into a sub-process or a definition of their own")
            : LayeredLayout.Place(graph);
    }
}
