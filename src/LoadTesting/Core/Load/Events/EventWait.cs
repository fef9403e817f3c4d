namespace LoadTesting.Core.Load.Events;

/// <summary>
/// A wait for one event. Created by <see cref="EventAwaiter.Register"/> before the request that causes the event.
/// </summary>
public sealed class EventWait
{
    private readonly EventAwaiter _owner;
    private readonly EventEntry _entry;

    internal EventWait(EventAwaiter owner, EventEntry entry) => (_owner, _entry) = (owner, entry);

    public string Type => _entry.Key.Type;
    public string Id => _entry.Key.Id;

    /// <summary>
    /// Completes with the event or with the timeout; a timeout is a result, not an exception. Continuations run on the
    /// thread pool, never on the consumer's thread.
    /// </summary>
    public Task<EventArrival> Arrival => _entry.Arrival!.Task;

    /// <summary>
    /// Gives up the wait because its request failed and no event will come. It counts as neither matched nor lost, and
    /// <see cref="Arrival"/> is cancelled. No effect after the wait has ended.
    /// </summary>
    public void Withdraw() => _owner.Withdraw(_entry);
}
