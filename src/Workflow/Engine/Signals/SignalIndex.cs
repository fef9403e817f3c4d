namespace Workflow.Engine.Signals;

/// <summary>Waiters or buffered signals, never both, by (name, correlation key); both are served in order of position.</summary>
internal sealed class SignalIndex
{
    private readonly Dictionary<(string Name, string Key), LinkedList<Waiter>> _waiters = [];
    private readonly Dictionary<(string Name, string Key), LinkedList<SignalRow>> _signals = [];

    public int BufferedCount { get; private set; }

    public void AddWaiter(string name, string key, Waiter waiter) => Insert(_waiters, (name, key), waiter, w => w.Position);
    public Waiter? TakeWaiter(string name, string key) => TakeFirst(_waiters, (name, key));
    public Waiter? RemoveWaiter(string name, string key, Guid waitId) => Remove(_waiters, (name, key), w => w.WaitId == waitId);

    public void AddSignal(SignalRow signal)
    {
        Insert(_signals, (signal.Name, signal.CorrelationKey!), signal, s => s.Position);
        BufferedCount++;
    }

    /// <summary>The oldest buffered signal of the slot, and how many there are; null when there is none.</summary>
    public (SignalRow First, int Count)? FindFirst(string name, string key) =>
        _signals.TryGetValue((name, key), out var list) ? (list.First!.Value, list.Count) : null;

    public bool HasWaiter(string name, string key) => _waiters.ContainsKey((name, key));

    public SignalRow? TakeSignal(string name, string key)
    {
        var signal = TakeFirst(_signals, (name, key));
        BufferedCount -= signal is null ? 0 : 1;
        return signal;
    }

    public bool RemoveSignal(string name, string key, Guid id)
    {
        var removed = Remove(_signals, (name, key), s => s.Id == id) is not null;
        BufferedCount -= removed ? 1 : 0;
        return removed;
    }

    private static void Insert<T>(Dictionary<(string, string), LinkedList<T>> lists, (string, string) slot, T item, Func<T, long> position)
    {
        if (!lists.TryGetValue(slot, out var list))
        {
            lists[slot] = list = [];
        }

        // Almost always the newest comes last; only one that was sent back goes to the front.
        var node = list.Last;
        while (node is not null && position(node.Value) > position(item))
        {
            node = node.Previous;
        }

        if (node is null)
        {
            list.AddFirst(item);
        }
        else
        {
            list.AddAfter(node, item);
        }
    }

    private static T? TakeFirst<T>(Dictionary<(string, string), LinkedList<T>> lists, (string, string) slot)
        where T : class
    {
        if (!lists.TryGetValue(slot, out var list))
        {
            return null;
        }

        var first = list.First!.Value;
        list.RemoveFirst();
        if (list.Count == 0)
        {
            lists.Remove(slot);
        }

        return first;
    }

    private static T? Remove<T>(Dictionary<(string, string), LinkedList<T>> lists, (string, string) slot, Func<T, bool> matches)
        where T : class
    {
        if (!lists.TryGetValue(slot, out var list))
        {
            return null;
        }

        for (var node = list.First; node is not null; node = node.Next)
        {
            if (matches(node.Value))
            {
                list.Remove(node);
                if (list.Count == 0)
                {
                    lists.Remove(slot);
                }

                return node.Value;
            }
        }

        return null;
    }
}

/// <summary>A wait for a (name, key).</summary>
/// <param name="Position">When the wait began; the oldest is served first.</param>
/// <param name="Subscribed">True when the instance belongs to another partition and a durable subscription stands for it here.</param>
internal sealed record Waiter(Guid WaitId, Guid InstanceId, long Position, bool Subscribed);
