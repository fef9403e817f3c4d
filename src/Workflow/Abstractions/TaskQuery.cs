using Workflow.Abstractions.Stores;
using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions;

/// <summary>Which tasks to list; null members do not restrict.</summary>
public sealed record TaskQuery
{
    /// <summary>Who has them.</summary>
    public string? Assignee { get; init; }

    public string? Group { get; init; }
    public TaskState? State { get; init; }
    public Guid? After { get; init; }

    /// <summary>Only ids before this one.</summary>
    public Guid? Before { get; init; }

    /// <summary>Newest id first; false (the default) lists the oldest first.</summary>
    public bool NewestFirst { get; init; }

    /// <summary>The ids and the order of the list, for stores.</summary>
    public ListBounds Bounds => new(After, Before, NewestFirst);

    public int Limit { get; init; } = 100;

    /// <summary>As <see cref="InstanceQuery.MostExamined"/>.</summary>
    public int? MostExamined { get; init; }
}
