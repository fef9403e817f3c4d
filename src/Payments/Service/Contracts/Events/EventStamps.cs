namespace Payments.Contracts.Events;

/// <summary>
/// The service's own timestamps of an event. Ticks are monotonic
/// (<see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>) and may be compared with those of another process only
/// where <see cref="BootId"/> is the same. They are null in an event that is published again.
/// </summary>
public sealed record EventStamps
{
    public required DateTimeOffset ChangedUtc { get; init; }

    /// <summary>The request, or the event before this one, was in the service's hands.</summary>
    public long? AcceptedTicks { get; init; }

    /// <summary>
    /// The work that the service does for it was done, just before it was stored, a consumer's delay included.
    /// </summary>
    public long? ExecutedTicks { get; init; }

    /// <summary>The change was stored.</summary>
    public long? CommittedTicks { get; init; }

    /// <summary>The id of the machine's boot (Linux), or an id of this process.</summary>
    public required string BootId { get; init; }
}
