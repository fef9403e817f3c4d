namespace Workflow.Diagrams.Graphs;

public static class EdgeKinds
{
    /// <summary>Whether it leaves its node by an event at the boundary.</summary>
    public static bool IsBoundary(this EdgeKind kind) =>
        kind is EdgeKind.Timeout or EdgeKind.Error or >= EdgeKind.BoundaryTimer;

    /// <summary>Whether the step goes on while it is taken.</summary>
    public static bool IsSide(this EdgeKind kind) => kind is EdgeKind.SideTimer or EdgeKind.SideSignal;

    /// <summary>Whether a time is what it is taken on, at a boundary.</summary>
    public static bool IsTimer(this EdgeKind kind) =>
        kind is EdgeKind.Timeout or EdgeKind.BoundaryTimer or EdgeKind.SideTimer;

    public static bool IsSignal(this EdgeKind kind) => kind is EdgeKind.BoundarySignal or EdgeKind.SideSignal;
}
