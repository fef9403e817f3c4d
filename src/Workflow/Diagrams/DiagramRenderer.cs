using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Diagrams.Bpmn;
using Workflow.Diagrams.ElkJson;
using Workflow.Diagrams.Mermaid;
using Workflow.Diagrams.Msagl;
using Workflow.Diagrams.Svg;

namespace Workflow.Diagrams;

/// <summary>What a diagram is written as.</summary>
public enum DiagramFormat
{
    Svg,
    Elk,
    Msagl,
    Mermaid,
    Bpmn,
}

/// <summary>
/// Draws definitions. Pure and safe to call from several threads. 1,000 steps take less than a second, or some where they jump anywhere.
/// </summary>
public static class DiagramRenderer
{
    /// <summary>The definition of an engine's canonical JSON, which was checked when it was registered.</summary>
    public static WorkflowDefinition Read(string canonicalJson)
    {
        var compilation = DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(canonicalJson), new DefinitionRules());
        return compilation.Definition
            ?? throw new ArgumentException($"The definition has errors, e.g. {compilation.Errors[0].Message}", nameof(canonicalJson));
    }

    /// <param name="overlay">By <see cref="StateOverlay"/>; null draws the definition alone.</param>
    public static string Render(WorkflowDefinition definition, DiagramFormat format, DiagramOverlay? overlay = null)
    {
        var graph = GraphBuilder.Build(definition);
        return format switch
        {
            DiagramFormat.Elk => ElkJsonRenderer.Render(graph, overlay),
            DiagramFormat.Mermaid => MermaidRenderer.Render(graph, overlay),
            DiagramFormat.Msagl => MsaglRenderer.Render(LayeredLayout.Place(graph), overlay),
            DiagramFormat.Bpmn => BpmnRenderer.Render(definition, LayeredLayout.Place(graph), overlay),
            DiagramFormat.Svg => SvgRenderer.Render(LayeredLayout.Place(graph), overlay),
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
}
