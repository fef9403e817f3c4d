namespace Workflow.Diagrams.Graphs;

/// <param name="Id">The step and the member that leads on, e.g. <c>route:cases[0]</c>.</param>
/// <param name="Label">What the edge is taken on; null for the plain next step.</param>
public sealed record DiagramEdge(string Id, string From, string To, EdgeKind Kind, string? Label);
