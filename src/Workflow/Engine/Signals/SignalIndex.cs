namespace Workflow.Engine.Signals;

/// <summary>
/// Waiters or buffered signals, never both, by name and correlation key. Both are served in the order of their
/// position.
/// </summary>
internal sealed class SignalIndex
{
    private readonly OrderedSlots<Waiter> _waiters = new(static waiter => waiter.Position);
    private readonly OrderedSlots<AcceptedSignal> _signals = new(static signal => signal.Position);

    public int BufferedCount { get; private set; }

    public void AddWaiter(string name, string key, Waiter waiter) => _waiters.Insert((name, key), waiter);
    public Waiter? TakeWaiter(string name, string key) => _waiters.TakeFirst((name, key));

    /// <summary>Takes the oldest waiter if its instance belongs to this partition.</summary>
    public Waiter? TakeOwnWaiter(string name, string key) =>
        _waiters.Find((name, key)) is ({ Subscribed: false }, _) ? TakeWaiter(name, key) : null;

    public Waiter? RemoveWaiter(string name, string key, Guid waitId) =>
        _waiters.Remove((name, key), w => w.WaitId == waitId);

    public void AddSignal(AcceptedSignal signal)
    {
        _signals.Insert((signal.Name, signal.CorrelationKey!), signal);
        BufferedCount++;
    }

    /// <summary>The oldest buffered signal of a slot and the number of its signals; null if there is none.</summary>
    public (AcceptedSignal First, int Count)? FindFirst(string name, string key) => _signals.Find((name, key));

    public bool HasTwoWaiters(string name, string key) => _waiters.Find((name, key)) is (_, > 1);

    public bool HasWaiter(string name, string key) => _waiters.Find((name, key)) is not null;

    public AcceptedSignal? TakeSignal(string name, string key)
    {
        var signal = _signals.TakeFirst((name, key));
        BufferedCount -= signal is null ? 0 : 1;
        return signal;
    }

    public bool RemoveSignal(string name, string key, Guid id)
    {
        var removed = _signals.Remove((name, key), s => s.Id == id) is not null;
        BufferedCount -= removed ? 1 : 0;
        return removed;
    }
}
