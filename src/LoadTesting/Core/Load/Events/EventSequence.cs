namespace LoadTesting.Core.Load.Events;

/// <summary>An event's place in a stream whose order is promised.</summary>
/// <param name="Stream">The stream, such as one lane of an outbox. Few; they are kept for the whole run.</param>
/// <param name="Number">Ascending within the stream. Gaps are no fault, and a repeated number is a redelivery, not a reordering.</param>
public readonly record struct EventSequence(string Stream, long Number);
