namespace Workflow.Abstractions.Stores;

/// <summary>What need not be kept any more.</summary>
public sealed record TrimRequest
{
    /// <summary>Events made before and published by every publisher.</summary>
    public required DateTimeOffset EventsBeforeUtc { get; init; }

    public required DateTimeOffset KeysBeforeUtc { get; init; }

    /// <summary>Dead letters replayed before; open ones are kept.</summary>
    public required DateTimeOffset ReplayedBeforeUtc { get; init; }

    /// <summary>
    /// Instances that finished before, with their histories, tasks and lists of sub-workflows; null keeps them all.
    /// </summary>
    public DateTimeOffset? FinishedBeforeUtc { get; init; }

    /// <summary>Rows of a kind at most.</summary>
    public int Limit { get; init; } = 1_000;
}
