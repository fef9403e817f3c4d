namespace IntegrationTests.Shared.Faults;

/// <summary>One try of a request.</summary>
/// <param name="Node">Which node was asked.</param>
/// <param name="Calm">The number of the interval without faults that holds the attempt; 0 if there is none.</param>
/// <param name="Sent">In monotonic ticks.</param>
/// <param name="Answered">In monotonic ticks.</param>
/// <param name="Id">The acknowledged id; null if the effect of the attempt is unknown.</param>
public sealed record RecordedAttempt(int Node, int Calm, long Sent, long Answered, Guid? Id);
