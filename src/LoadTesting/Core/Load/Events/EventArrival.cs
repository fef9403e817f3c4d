namespace LoadTesting.Core.Load.Events;

/// <summary>How a wait for an event ended.</summary>
/// <param name="IsLost">Whether the timeout passed first.</param>
/// <param name="Timestamp">When the event was seen: the monotonic timestamp its consumer took, to be given to
/// <c>Response.Ok(endTimestamp: ...)</c> or <c>RecordStep</c>. When lost, the deadline.</param>
public readonly record struct EventArrival(bool IsLost, long Timestamp);
