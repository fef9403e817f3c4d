namespace IntegrationTests.Shared.Faults;

/// <summary>A completion as a client of the event stream saw it.</summary>
/// <param name="EventId">The same for each delivery of an event.</param>
/// <param name="Taken">Numbers of the signals that the instance took, in its order.</param>
/// <param name="Received">In monotonic ticks.</param>
public sealed record RecordedCompletion(
    string EventId, Guid Instance, string Key, IReadOnlyList<int> Taken, long Received);
