namespace LoadTesting.Core.Load.Events;

/// <summary>The state of one event type and id. Guarded by its shard's lock.</summary>
internal sealed class EventEntry(EventKey key, EventState state, long deadline)
{
    internal EventKey Key => key;
    internal EventState State { get; set; } = state;

    /// <summary>When <see cref="State"/> expires, in timestamps of the time provider.</summary>
    internal long Deadline { get; set; } = deadline;

    /// <summary>When the event was seen; undefined while waiting.</summary>
    internal long Timestamp { get; set; }

    /// <summary>Null for an event without a wait.</summary>
    internal TaskCompletionSource<EventArrival>? Arrival { get; set; }
}
