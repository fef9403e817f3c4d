namespace Workflow.Abstractions.Definitions;

/// <summary>
/// Where the elements of a BPMN model stand in the diagram of its author. It changes nothing that is executed, and is
/// outside of the content hash: a definition that differs in its layout alone is the same definition.
/// </summary>
public sealed record DefinitionLayout(IReadOnlyList<LayoutShape> Shapes, IReadOnlyList<LayoutFlow> Flows)
{
    /// <summary>The most shapes, and the most flows.</summary>
    public const int MaxParts = 4_000;

    /// <summary>The most numbers of a flow.</summary>
    public const int MaxPoints = 400;

    /// <summary>The largest coordinate, in px to the right and down; the smallest is its negative.</summary>
    public const double MaxCoordinate = 1_000_000;
}

/// <summary>The place of an element, in px.</summary>
/// <param name="Element">The id of the element, which is unique.</param>
/// <param name="Kind">The kind of the element by the standard, e.g. <c>userTask</c>.</param>
/// <param name="Bounds">Left, top, width and height.</param>
public sealed record LayoutShape(string Element, string Kind, IReadOnlyList<double> Bounds)
{
    /// <summary>The name in the diagram; null if it has none.</summary>
    public string? Name { get; init; }

    /// <summary>The trigger of an event, e.g. <c>timer</c>; null for none.</summary>
    public string? Trigger { get; init; }

    /// <summary>The sub-process that the element is directly inside of; null outside of all.</summary>
    public string? Parent { get; init; }

    /// <summary>The activity that a boundary event is attached to; null for any other element.</summary>
    public string? AttachedTo { get; init; }

    /// <summary>Left, top, width and height of the name beside the shape; null if the file does not say.</summary>
    public IReadOnlyList<double>? Label { get; init; }

    /// <summary>Whether the shape shows what is inside of the sub-process.</summary>
    public bool Expanded { get; init; }
}

/// <summary>The way of a sequence flow.</summary>
/// <param name="From">The element it leaves.</param>
/// <param name="To">The element it leads to.</param>
/// <param name="Points">Two numbers for each point, from the left and from the top, in px.</param>
public sealed record LayoutFlow(string From, string To, IReadOnlyList<double> Points)
{
    /// <summary>The name in the diagram; null if it has none.</summary>
    public string? Name { get; init; }

    /// <summary>Left, top, width and height of the name; null if the file does not say.</summary>
    public IReadOnlyList<double>? Label { get; init; }
}
