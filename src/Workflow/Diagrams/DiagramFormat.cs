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
