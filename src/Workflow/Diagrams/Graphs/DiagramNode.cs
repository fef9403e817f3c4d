namespace Workflow.Diagrams.Graphs;

/// <param name="Id">
/// The step's id; with a colon for what is no step: <see cref="StartId"/>, and e.g. <c>route:events[0]</c>.
/// </param>
/// <param name="Title">What stands in or beside the shape, at first.</param>
/// <param name="Subtitle">What the step does, in a few words; null when the kind says it.</param>
/// <param name="Description">The whole of it, for a reader who hears the picture or points at the node.</param>
public sealed record DiagramNode(string Id, NodeKind Kind, string Title, string? Subtitle, string Description)
{
    /// <summary>No step has this id: a colon is in no name.</summary>
    public const string StartId = ":start";

    /// <summary>The sub-process that it is directly inside of; null outside of all.</summary>
    public string? Parent { get; init; }

    /// <summary>The id of the node at which a sub-process begins.</summary>
    public static string StartOf(string subProcess) => subProcess + StartId;

    public bool IsStep => !Id.Contains(':', StringComparison.Ordinal);
}
