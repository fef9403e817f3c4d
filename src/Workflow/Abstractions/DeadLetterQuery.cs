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
    public int Limit { get; init; } = 100;
}
