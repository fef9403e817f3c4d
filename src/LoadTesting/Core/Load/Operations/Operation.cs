using LoadTesting.Core.Load.Events;

namespace LoadTesting.Core.Load.Operations;

/// <summary>One operation of a batch, identified by the correlation key of its events.</summary>
public sealed class Operation(long number, string key, EventWait? completion, long beganTicks)
{
    /// <summary>Its number in the batch, from 0.</summary>
    public long Number => number;

    public string Key => key;

    /// <summary>The wait for the event that ends the operation, registered before the first request.</summary>
    /// <exception cref="InvalidOperationException">The batch has no such event.</exception>
    public EventWait Completion =>
        completion
            ?? throw new InvalidOperationException($"Operation '{key}' ends without an "
                + "event: its scenario completes it.");

    /// <summary>
    /// Monotonic ticks just before the operation's first request, or of its intended start in an open model.
    /// </summary>
    public long BeganTicks => beganTicks;

    /// <summary>Monotonic ticks just before the signal's publish leaves; 0 without one.</summary>
    public long PublishedTicks { get; set; }

    /// <summary>Monotonic ticks at which the system was idle after it; 0 until then.</summary>
    public long IdleTicks { get; set; }

    /// <summary>The outcome of the request that creates the operation.</summary>
    public SendOutcome Outcome { get; set; } = SendOutcome.NotSent;

    /// <summary>Monotonic ticks at which it completed; null if that was not seen.</summary>
    public long? CompletedTicks => _completedTicks ?? (Arrived is { IsLost: false } arrival ? arrival.Timestamp : null);

    /// <summary>Monotonic ticks at which its completion was given up; null if it was not.</summary>
    internal long? LostTicks => Arrived is { IsLost: true } lost ? lost.Timestamp : null;

    private EventArrival? Arrived =>
        completion?.Arrival is { IsCompletedSuccessfully: true } ended ? ended.GetAwaiter().GetResult() : null;

    private long? _completedTicks;

    internal EventWait? CompletionWait => completion;

    internal void CompleteAt(long ticks) => _completedTicks = ticks;
}
