namespace LoadTesting.Core.Load.Events;

/// <summary>
/// Entries by deadline in a hashed timing wheel (Varghese and Lauck 1987, scheme 6): constant cost to add one, one visit of a slot for each
/// tick, no timer for each entry. An entry whose deadline was put off meanwhile moves on when its slot comes round. Guarded by its shard's lock.
/// </summary>
internal sealed class DeadlineWheel(long origin, long tickLength)
{
    private const int Slots = 2_048;

    private readonly List<EventEntry>?[] _slots = new List<EventEntry>?[Slots];
    private long _nextTick = 1;

    /// <summary>Entries in the wheel, also those that have nothing left to expire.</summary>
    internal int Count { get; private set; }

    internal void Add(EventEntry entry)
    {
        // Rounded up, so that an entry is never found before its deadline has passed; at least the tick that is visited next.
        var tick = Math.Max(_nextTick, ((entry.Deadline - origin) / tickLength) + 1);
        (_slots[tick % Slots] ??= []).Add(entry);
        Count++;
    }

    /// <summary>Takes out every entry whose deadline is at or before <paramref name="now"/> and hands it to <paramref name="expire"/>, which
    /// says whether to keep it for its new deadline.</summary>
    internal void Advance(long now, Func<EventEntry, bool> expire)
    {
        var last = (now - origin) / tickLength;

        // After a long pause one full turn visits every slot.
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
