namespace Workflow.Diagrams.Graphs;

/// <summary>
/// The colours of a picture. Every text has a contrast of at least 4.5 : 1 to what is behind it (WCAG 2.2, 1.4.3); a
/// test computes it.
/// </summary>
/// <param name="Page">Behind everything.</param>
/// <param name="Text">Texts in shapes and beside them.</param>
/// <param name="Muted">Second lines, icons and labels of edges.</param>
/// <param name="Line">Borders and edges.</param>
public sealed record Palette(
    string Page, string Text, string Muted, string Line, IReadOnlyDictionary<NodeState, StateColours> States)
{
    public static readonly Palette Light =
        new("#ffffff", "#1f2328", "#57606a", "#6e7781", new Dictionary<NodeState, StateColours>
        {
            [NodeState.None] = new("#ffffff", "#6e7781", "#ffffff"),
            [NodeState.Done] = new("#e6f6ea", "#1a7f37", "#ffffff"),
            [NodeState.Active] = new("#e2f1ff", "#0969da", "#ffffff"),
            [NodeState.Waiting] = new("#fff6d6", "#8a5a00", "#ffffff"),
            [NodeState.Failed] = new("#ffebe9", "#cf222e", "#ffffff"),
            [NodeState.TimedOut] = new("#fff1e5", "#bc4c00", "#ffffff"),
            [NodeState.Cancelled] = new("#f6f8fa", "#57606a", "#ffffff"),
        });

    public static readonly Palette Dark =
        new("#0d1117", "#e6edf3", "#9da7b3", "#8b949e", new Dictionary<NodeState, StateColours>
        {
            [NodeState.None] = new("#161b22", "#8b949e", "#0d1117"),
            [NodeState.Done] = new("#12261e", "#3fb950", "#0d1117"),
            [NodeState.Active] = new("#10233d", "#58a6ff", "#0d1117"),
            [NodeState.Waiting] = new("#2b2111", "#d29922", "#0d1117"),
            [NodeState.Failed] = new("#2d1518", "#ff7b72", "#0d1117"),
            [NodeState.TimedOut] = new("#2b1a0f", "#f0883e", "#0d1117"),
            [NodeState.Cancelled] = new("#1c2128", "#9da7b3", "#0d1117"),
        });
}

/// <param name="Fill">Inside the shape.</param>
/// <param name="Line">Its border, and behind the mark of the state.</param>
public sealed record StateColours(string Fill, string Line, string Mark);
