namespace Workflow.Diagrams.Graphs;

/// <param name="Id">
/// The step's id; with a colon for what is no step: <see cref="StartId"/>, and e.g. <c>route:events[0]</c>.
/// </param>
/// <param name="Title">
/// The first line in or beside the shape: the title of the step, or its id. Empty for a step that the author did not
/// draw.
/// </param>
/// <param name="Subtitle">What the step does, in a few words; null when the kind says it.</param>
/// <param name="Description">The whole of it, for a reader who hears the picture or points at the node.</param>
public sealed record DiagramNode(string Id, NodeKind Kind, string Title, string? Subtitle, string Description)
{
    /// <summary>No step has this id: a colon is in no name.</summary>
    public const string StartId = ":start";

    /// <summary>The sub-process that it is directly inside of; null outside of all.</summary>
    public string? Parent { get; init; }

    /// <summary>
    /// The element of another document, e.g. of a BPMN model, that the step was made from; null if none.
    /// </summary>
    public string? Element { get; init; }

    /// <summary>The title and the id; the id alone where it is the title.</summary>
    public string Name => IsStep && Title.Length > 0 && Title != Id ? $"{Title} ({Id})" : Id;

    /// <summary>The id of the node at which a sub-process begins.</summary>
    public static string StartOf(string subProcess) => subProcess + StartId;

    public bool IsStep => !Id.Contains(':', StringComparison.Ordinal);
}
