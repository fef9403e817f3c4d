namespace Workflow.Diagrams.Layout;

/// <summary>A part of one or more edges between two neighbouring layers.</summary>
internal sealed class Segment(Vertex upper, Vertex lower, bool back, bool boundary)
{
    public Vertex Upper => upper;
    public Vertex Lower => lower;

    /// <summary>Its edges go up.</summary>
    public bool Back => back;

    /// <summary>It leaves a node by a boundary event.</summary>
    public bool Boundary => boundary;

    /// <summary>It is part of the plain way on.</summary>
    public bool Main { get; set; }

    /// <summary>Where it meets the vertices, from their middle.</summary>
    public double UpperOffset { get; set; }

    public double LowerOffset { get; set; }

    public double UpperX => upper.X + UpperOffset;
    public double LowerX => lower.X + LowerOffset;

    /// <summary>Neither end is a node; such parts are to be straight first of all.</summary>
    public bool Inner => upper.Node is null && lower.Node is null;
}
