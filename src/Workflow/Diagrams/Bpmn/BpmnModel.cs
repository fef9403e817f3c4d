using Workflow.Abstractions.Definitions;

namespace Workflow.Diagrams.Bpmn;

/// <summary>A definition with its layout, and the ids of its elements.</summary>
internal sealed class BpmnModel(WorkflowDefinition definition, PlacedDiagram diagram, JsonElement canonical)
{
    public WorkflowDefinition Definition => definition;
    public PlacedDiagram Diagram => diagram;
    public BpmnIds Ids { get; } = new(diagram);

    /// <summary>
    /// The nodes directly inside of a sub-process, or outside of all under ""; and the flows between them.
    /// </summary>
    public (ILookup<string, DiagramNode> Nodes, ILookup<string, DiagramEdge> Edges) Levels { get; } =
        diagram.Graph.Levels();

    public Dictionary<string, PlacedEdge> Edges { get; } =
        diagram.Edges.ToDictionary(edge => edge.Edge.Id, StringComparer.Ordinal);
    public ILookup<string, PlacedEdge> Out { get; } =
        diagram.Edges.ToLookup(edge => edge.Edge.From, StringComparer.Ordinal);
    public ILookup<string, PlacedEdge> In { get; } =
        diagram.Edges.ToLookup(edge => edge.Edge.To, StringComparer.Ordinal);
    public JsonElement Canonical => canonical;

    /// <summary>The cases, by the ids of the edges that are taken on them.</summary>
    public Dictionary<string, DecideCase> Cases { get; } = Along(
        diagram, EdgeKind.Case, EdgeKind.Case, step => GraphBuilder.CasesOf(definition.Steps[step])!.Value.Cases);

    /// <summary>What is waited for, by the ids of the edges that lead to it or, at a boundary, leave by it.</summary>
    public Dictionary<string, JsonElement> Events { get; } = Along(
            diagram, EdgeKind.Event, EdgeKind.Event,
            step => JsonOf(canonical, step).GetProperty("events").EnumerateArray())
        .Concat(Along(
            diagram, EdgeKind.BoundaryTimer, EdgeKind.SideSignal,
            step => JsonOf(canonical, step).GetProperty("boundary").EnumerateArray()))
        .ToDictionary(StringComparer.Ordinal);

    /// <summary>The joins of branches that an inclusive step has chosen.</summary>
    public HashSet<string> InclusiveJoins { get; } =
        [.. definition.Steps.Values.OfType<InclusiveStep>().Select(inclusive => inclusive.Join)];

    public JsonElement StepJson(string step) => JsonOf(canonical, step);

    private static JsonElement JsonOf(JsonElement canonical, string step) =>
        canonical.GetProperty("steps").GetProperty(step);

    // The edges of a step stand in the order of the list that they come from.
    private static Dictionary<string, T> Along<T>(
        PlacedDiagram diagram, EdgeKind first, EdgeKind last, Func<string, IEnumerable<T>> listOf) =>
        diagram.Graph.Edges
            .Where(edge => edge.Kind >= first && edge.Kind <= last).GroupBy(edge => edge.From, StringComparer.Ordinal)
            .SelectMany(edges => edges.Zip(listOf(edges.Key), (edge, one) => KeyValuePair.Create(edge.Id, one)))
            .ToDictionary(StringComparer.Ordinal);
}
