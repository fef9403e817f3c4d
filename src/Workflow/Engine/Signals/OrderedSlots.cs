using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Workflow.Engine.Signals;

/// <summary>
/// Items by name and correlation key, ordered by position within a slot. Almost every slot has one item and needs no
/// list.
/// </summary>
internal sealed class OrderedSlots<T>(Func<T, long> position)
    where T : class
{
    private readonly Dictionary<(string Name, string Key), (T First, LinkedList<T>? Later)> _slots = [];

    /// <summary>Finds the first item of a slot and the number of its items; null if there is none.</summary>
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

        // A new item almost always goes last. Only a returned signal goes to the front.
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
