namespace Workflow.Diagrams.Graphs;

public enum EdgeKind
{
    Next,
    Case,
    Otherwise,
    Branch,
    Timeout,
    Error,

    /// <summary>To one of the events that a step waits for the first of.</summary>
    Event,

    /// <summary>Events at a boundary that end the step, or do not.</summary>
    BoundaryTimer,
    BoundarySignal,
    SideTimer,
    SideSignal,
}
