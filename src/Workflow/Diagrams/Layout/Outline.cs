namespace Workflow.Diagrams.Layout;

public enum Outline
{
    Box,
    Circle,

    /// <summary>A diamond; where it is wider than high, with a flat top and bottom.</summary>
    Diamond,

    /// <summary>A box around other nodes, with its text at the top.</summary>
    Frame,
}
