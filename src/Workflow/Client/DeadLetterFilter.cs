using Workflow.Contracts.DeadLetters;

namespace Workflow.Client;

/// <summary>Which open dead letters; null members do not restrict.</summary>
public sealed record DeadLetterFilter
{
    public DeadLetterKind? Kind { get; init; }

    /// <summary>Only work for this instance.</summary>
    public Guid? Instance { get; init; }
}
