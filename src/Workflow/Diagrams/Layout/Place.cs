namespace Workflow.Diagrams.Layout;

/// <summary>A point in px, from the left and from the top.</summary>
public readonly record struct Place(double X, double Y);
