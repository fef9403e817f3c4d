namespace Workflow.Diagrams.Layout;

/// <summary>An edge from a node to itself: around its left side.</summary>
internal sealed class Loop(DiagramEdge edge, TextBlock? label)
{
    public DiagramEdge Edge => edge;
    public TextBlock? Label => label;

    /// <summary>Where it leaves the lower border, from the middle of the node.</summary>
    public double Offset { get; set; }

    /// <summary>How far left of the middle it goes up.</summary>
    public double Reach { get; set; }
}
