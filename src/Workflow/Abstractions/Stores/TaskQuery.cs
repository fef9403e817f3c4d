using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Stores;

/// <summary>Which tasks to list; null members do not restrict.</summary>
public sealed record TaskQuery
{
    /// <summary>Who has them.</summary>
    public string? Assignee { get; init; }

    /// <summary>A group that may take them.</summary>
    public string? Group { get; init; }

    /// <summary>State.</summary>
    public TaskState? State { get; init; }

    /// <summary>Only ids after this one.</summary>
    public Guid? After { get; init; }

    /// <summary>At most so many, 1 to 1,000; 100 by default.</summary>
    public int Limit { get; init; } = 100;
}
