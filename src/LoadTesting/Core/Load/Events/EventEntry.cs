namespace LoadTesting.Core.Load.Events;

/// <summary>What is known about one (type, id). Guarded by its shard's lock.</summary>
internal sealed class EventEntry(EventKey key, EventState state, long deadline)
{
    internal EventKey Key => key;

    internal EventState State { get; set; } = state;

    /// <summary>When <see cref="State"/> expires, in timestamps of the time provider.</summary>
    internal long Deadline { get; set; } = deadline;

    /// <summary>When the event was seen; meaningless while waiting.</summary>
    internal long Timestamp { get; set; }

    /// <summary>Null for an event that nobody waits for.</summary>
    internal TaskCompletionSource<EventArrival>? Arrival { get; set; }
}
