namespace LoadTesting.Core.Load.Events;

/// <summary>
/// Entries by deadline in a hashed timing wheel (Varghese and Lauck 1987, scheme 6): adding costs constant time, each
/// tick visits one slot, and entries need no timers. An entry with a postponed deadline moves when its slot is visited.
/// Guarded by its shard's lock.
/// </summary>
internal sealed class DeadlineWheel(long origin, long tickLength)
{
    private const int Slots = 2_048;

    private readonly List<EventEntry>?[] _slots = new List<EventEntry>?[Slots];
    private long _nextTick = 1;

    /// <summary>Number of entries in the wheel, including forgotten ones.</summary>
    internal int Count { get; private set; }

    internal void Add(EventEntry entry)
    {
        // Rounded up, so that an entry is never visited before its deadline; at least the next tick.
        var tick = Math.Max(_nextTick, ((entry.Deadline - origin) / tickLength) + 1);
        (_slots[tick % Slots] ??= []).Add(entry);
        Count++;
    }

    /// <summary>
    /// Passes every entry with a deadline at or before <paramref name="now"/> to <paramref name="expire"/>, which
    /// returns whether to keep it for its new deadline.
    /// </summary>
    internal void Advance(long now, Func<EventEntry, bool> expire)
    {
        var last = (now - origin) / tickLength;

        // After a long pause one turn of the wheel visits every slot.
        for (var tick = Math.Max(_nextTick, last - Slots + 1); tick <= last; tick++)
        {
            _nextTick = tick + 1;
            Visit(tick, now, expire);
        }
    }

    private void Visit(long tick, long now, Func<EventEntry, bool> expire)
    {
        if (_slots[tick % Slots] is not { Count: > 0 } slot)
        {
            return;
        }

        _slots[tick % Slots] = null;
        Count -= slot.Count;
        foreach (var entry in slot)
        {
            if (entry.Deadline > now || expire(entry))
            {
                Add(entry);
            }
        }
    }
}
