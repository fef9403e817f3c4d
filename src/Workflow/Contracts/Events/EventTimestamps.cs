namespace Workflow.Contracts.Events;

/// <summary>
/// The times at which the service processed an event, by the service's clocks. A consumer on the same machine (equal
/// <see cref="BootId"/>) may subtract the monotonic ticks from its own. On another machine only the UTC instants can be
/// compared, within the error of the clocks.
/// </summary>
public sealed record EventTimestamps
{
    /// <summary>When the command that caused the event was accepted (UTC).</summary>
    public required DateTimeOffset AcceptedUtc { get; init; }

    /// <summary>When the command was executed in memory (UTC).</summary>
    public required DateTimeOffset ExecutedUtc { get; init; }

    /// <summary>When the commit that holds the event had returned (UTC); null after a recovery.</summary>
    public DateTimeOffset? CommittedUtc { get; init; }

    /// <summary>When the event was handed to its transport (UTC); null after a recovery.</summary>
    public DateTimeOffset? PublishedUtc { get; init; }

    public required long AcceptedTicks { get; init; }
    public required long ExecutedTicks { get; init; }

    /// <summary>
    /// How long the command had been executing at <see cref="ExecutedTicks"/>, in monotonic ticks. Null from a service
    /// that does not report it.
    /// </summary>
    public long? ExecutionTicks { get; init; }

    public long? CommittedTicks { get; init; }
    public long? PublishedTicks { get; init; }
    public required long TicksPerSecond { get; init; }

    /// <summary>Identifies the boot of the machine whose monotonic clock was read.</summary>
    public required string BootId { get; init; }
}
