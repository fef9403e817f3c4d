namespace LoadTesting.Core.Load.Events;

/// <summary>An event's position in an ordered stream.</summary>
/// <param name="Stream">The stream, such as one lane of an outbox. Streams are kept for the whole run.</param>
/// <param name="Number">Ascending within the stream. Gaps are allowed, and a repeated number is a redelivery, not a
/// reordering.</param>
public readonly record struct EventSequence(string Stream, long Number);
