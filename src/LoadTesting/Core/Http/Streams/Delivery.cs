namespace LoadTesting.Core.Http.Streams;

/// <summary>The identity of a received event.</summary>
/// <param name="Publication">Number of the publication that caused it, from 0; negative if none of this load
/// did.</param>
/// <param name="Stream">Number of its ordered stream, such as a partition, from 0.</param>
/// <param name="Sequence">Its number in the stream, from 1, without gaps.</param>
public readonly record struct Delivery(long Publication, int Stream, long Sequence);
