namespace Workflow.Abstractions.Stores;

/// <summary>The data that may be removed.</summary>
public sealed record TrimRequest
{
    /// <summary>Events raised before this time, if every publisher has published them.</summary>
    public required DateTimeOffset EventsBeforeUtc { get; init; }

    public required DateTimeOffset KeysBeforeUtc { get; init; }

    /// <summary>Dead letters replayed before this time. Open dead letters are kept.</summary>
    public required DateTimeOffset ReplayedBeforeUtc { get; init; }

    /// <summary>
    /// Instances that finished before this time, with their histories, tasks and lists of sub-workflows. Null keeps all
    /// instances.
    /// </summary>
    public DateTimeOffset? FinishedBeforeUtc { get; init; }

    /// <summary>The maximum number of rows of each kind.</summary>
    public int Limit { get; init; } = 1_000;
}
