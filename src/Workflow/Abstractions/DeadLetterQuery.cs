using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;

namespace Workflow.Abstractions;

/// <summary>Which dead letters to list; null members do not restrict.</summary>
public sealed record DeadLetterQuery
{
    /// <summary>
    /// Only replayed ones (true), or only open ones (false, the default). Replayed ones are kept as long as events are.
    /// </summary>
    public bool Replayed { get; init; }

    public DeadLetterKind? Kind { get; init; }
    public Guid? InstanceId { get; init; }
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
