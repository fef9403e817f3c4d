using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Workflow.Engine.Signals;

/// <summary>Waiters or buffered signals, never both, by (name, correlation key); both are served in order of position.</summary>
internal sealed class SignalIndex
{
    private readonly OrderedSlots<Waiter> _waiters = new(static waiter => waiter.Position);
    private readonly OrderedSlots<AcceptedSignal> _signals = new(static signal => signal.Position);

    public int BufferedCount { get; private set; }

    public void AddWaiter(string name, string key, Waiter waiter) => _waiters.Insert((name, key), waiter);
    public Waiter? TakeWaiter(string name, string key) => _waiters.TakeFirst((name, key));

    /// <summary>Takes the oldest waiter if its instance is of this partition.</summary>
    public Waiter? TakeOwnWaiter(string name, string key) =>
        _waiters.Find((name, key)) is ({ Subscribed: false }, _) ? TakeWaiter(name, key) : null;

    public Waiter? RemoveWaiter(string name, string key, Guid waitId) => _waiters.Remove((name, key), w => w.WaitId == waitId);

    public void AddSignal(AcceptedSignal signal)
    {
        _signals.Insert((signal.Name, signal.CorrelationKey!), signal);
        BufferedCount++;
    }

    /// <summary>The oldest buffered signal of the slot, and how many there are; null when there is none.</summary>
    public (AcceptedSignal First, int Count)? FindFirst(string name, string key) => _signals.Find((name, key));

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

/// <summary>Items by (name, correlation key), those of one slot by position. Almost every slot holds one item: it needs no list.</summary>
internal sealed class OrderedSlots<T>(Func<T, long> position)
    where T : class
{
    private readonly Dictionary<(string Name, string Key), (T First, LinkedList<T>? Later)> _slots = [];

    /// <summary>The first item of a slot, and how many there are; null when there is none.</summary>
    public (T First, int Count)? Find((string Name, string Key) slot) =>
        _slots.TryGetValue(slot, out var held) ? (held.First, 1 + (held.Later?.Count ?? 0)) : null;

    public void Insert((string Name, string Key) slot, T item)
    {
        ref var held = ref CollectionsMarshal.GetValueRefOrAddDefault(_slots, slot, out var isHeld);
        if (!isHeld)
        {
            held.First = item;
            return;
        }

        var later = held.Later ??= new();
        if (position(held.First) > position(item))
        {
            later.AddFirst(held.First);
            held.First = item;
            return;
        }

        // Almost always the newest comes last; only one that was sent back goes to the front.
        var node = later.Last;
        while (node is not null && position(node.Value) > position(item))
        {
            node = node.Previous;
        }

        if (node is null)
        {
            later.AddFirst(item);
        }
        else
        {
            later.AddAfter(node, item);
        }
    }

    public T? TakeFirst((string Name, string Key) slot)
    {
        ref var held = ref CollectionsMarshal.GetValueRefOrNullRef(_slots, slot);
        return Unsafe.IsNullRef(ref held) ? null : RemoveFirst(slot, ref held);
    }

    public T? Remove((string Name, string Key) slot, Func<T, bool> matches)
    {
        ref var held = ref CollectionsMarshal.GetValueRefOrNullRef(_slots, slot);
        if (Unsafe.IsNullRef(ref held))
        {
            return null;
        }

        if (matches(held.First))
        {
            return RemoveFirst(slot, ref held);
        }

        for (var node = held.Later?.First; node is not null; node = node.Next)
        {
            if (matches(node.Value))
            {
                held.Later!.Remove(node);
                return node.Value;
            }
        }

        return null;
    }

    private T RemoveFirst((string Name, string Key) slot, ref (T First, LinkedList<T>? Later) held)
    {
        var first = held.First;
        if (held.Later?.First is { } next)
        {
            held.First = next.Value;
            held.Later.RemoveFirst();
        }
        else
        {
            _slots.Remove(slot);
        }

        return first;
    }
}

/// <summary>A wait for a (name, key).</summary>
/// <param name="Position">When the wait began; the oldest is served first.</param>
/// <param name="Subscribed">True when the instance belongs to another partition and a durable subscription stands for it here.</param>
internal sealed record Waiter(Guid WaitId, Guid InstanceId, long Position, bool Subscribed);
