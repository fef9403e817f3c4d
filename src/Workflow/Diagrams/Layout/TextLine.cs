namespace Workflow.Diagrams.Layout;

/// <summary>A line of text with the width it takes, in px.</summary>
public sealed record TextLine(string Text, double FontSize, double Width);
