using Workflow.Contracts.DeadLetters;

namespace Workflow.Abstractions.Stores;

/// <summary>Which dead letters to list; null members do not restrict.</summary>
public sealed record DeadLetterQuery
{
    /// <summary>Only those that were replayed (true), or only open ones (false, the default). Replayed ones are kept as long as events are.</summary>
    public bool Replayed { get; init; }

    /// <summary>Kind.</summary>
    public DeadLetterKind? Kind { get; init; }

    /// <summary>The instance they are for.</summary>
    public Guid? InstanceId { get; init; }

    /// <summary>Only ids after this one.</summary>
    public Guid? After { get; init; }

    /// <summary>At most so many, 1 to 1,000; 100 by default.</summary>
    public int Limit { get; init; } = 100;
}
