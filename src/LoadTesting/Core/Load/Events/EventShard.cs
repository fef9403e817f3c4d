namespace LoadTesting.Core.Load.Events;

/// <summary>One part of the keys behind one lock: the entries, their deadlines and their counters.</summary>
internal sealed class EventShard(long origin, long tickLength, long earlyRetention, long memory, int maximumEntries)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<EventKey, EventEntry> _entries = [];
    private readonly DeadlineWheel _wheel = new(origin, tickLength);
    private readonly EventTally _tally = new();
    private readonly Dictionary<string, long> _unasked = new(StringComparer.Ordinal);

    /// <returns>The wait, and whether it is open (its event had not come yet).</returns>
    internal (EventEntry Entry, bool IsOpen) Register(EventKey key, long now, long timeout)
    {
        lock (_gate)
        {
            if (_entries.TryGetValue(key, out var known) && known.State is EventState.Waiting or EventState.Early)
            {
                return (known.State == EventState.Early ? Claim(known, now) : throw AlreadyWaiting(key), false);
            }

            if (_wheel.Count >= maximumEntries)
            {
                throw new InvalidOperationException(
                    $"The wait for {key.Type} '{key.Id}' cannot be registered: about {maximumEntries} entries are kept in its shard "
                    + "already. Raise EventAwaiterOptions.MaximumEntries, or lower timeouts, EarlyRetention or Memory.");
            }

            var entry = new EventEntry(key, EventState.Waiting, now + timeout) { Arrival = NewArrival() };
            Put(entry);
            _tally.Registered++;
            return (entry, true);
        }
    }

    internal bool Knows(EventKey key)
    {
        lock (_gate)
        {
            return _entries.TryGetValue(key, out var entry) && entry.State != EventState.Early;
        }
    }

    internal long Unasked(string type)
    {
        lock (_gate)
        {
            return _unasked.GetValueOrDefault(type);
        }
    }

    /// <returns>How many open waits the event has ended: 0 or 1.</returns>
    internal int Observe(EventKey key, long timestamp, long now)
    {
        lock (_gate)
        {
            _tally.Observed++;
            if (!_entries.TryGetValue(key, out var entry))
            {
                Buffer(key, timestamp, now);
                return 0;
            }

            switch (entry.State)
            {
                case EventState.Waiting when timestamp <= entry.Deadline:
                    Match(entry, timestamp, now);
                    return 1;
                case EventState.Waiting:
                    Lose(entry, now);
                    See(entry, ref _tally.Late, EventState.Late);
                    return 1;
                case EventState.Lost:
                    See(entry, ref _tally.Late, EventState.Late);
                    return 0;
                case EventState.Withdrawn:
                    See(entry, ref _tally.Unmatched, EventState.Withdrawn);
                    return 0;
                default:
                    See(entry, ref _tally.Duplicate, entry.State);
                    return 0;
            }
        }
    }

    /// <returns>True where the wait was still open.</returns>
    internal bool Withdraw(EventEntry entry, long now)
    {
        lock (_gate)
        {
            if (entry.State != EventState.Waiting)
            {
                return false;
            }

            _tally.Withdrawn++;
            Remember(entry, EventState.Withdrawn, now);
            entry.Arrival!.SetCanceled(CancellationToken.None);
            return true;
        }
    }

    /// <returns>How many open waits were lost by it.</returns>
    internal int Advance(long now)
    {
        var lost = 0;
        lock (_gate)
        {
            _wheel.Advance(now, entry =>
            {
                switch (entry.State)
                {
                    case EventState.Waiting:
                        lost++;
                        Lose(entry, now);
                        return IsKept(entry);
                    case EventState.Early:
                        _tally.Unmatched++;
                        _tally.Buffered--;
                        Forget(entry);
                        return false;
                    default:
                        Forget(entry);
                        return false;
                }
            });
        }

        return lost;
    }

    internal bool IsEmpty()
    {
        lock (_gate)
        {
            return _wheel.Count == 0;
        }
    }

    internal void AddTo(EventTally sum)
    {
        lock (_gate)
        {
            sum.Add(_tally);
        }
    }

    private EventEntry Claim(EventEntry early, long now)
    {
        early.Arrival = NewArrival();
        _unasked[early.Key.Type]--;
        _tally.Registered++;
        _tally.Buffered--;
        Match(early, early.Timestamp, now);
        return early;
    }

    private void Buffer(EventKey key, long timestamp, long now)
    {
        if (_wheel.Count >= maximumEntries)
        {
            _tally.Overflowed++;
            return;
        }

        Put(new EventEntry(key, EventState.Early, now + earlyRetention) { Timestamp = timestamp });
        _unasked[key.Type] = _unasked.GetValueOrDefault(key.Type) + 1;
        _tally.Buffered++;
    }

    private void Match(EventEntry entry, long timestamp, long now)
    {
        _tally.Matched++;
        entry.Timestamp = timestamp;
        Remember(entry, EventState.Matched, now);
        entry.Arrival!.SetResult(new EventArrival(false, timestamp));
    }

    private void Lose(EventEntry entry, long now)
    {
        _tally.Lost++;
        var deadline = entry.Deadline;
        Remember(entry, EventState.Lost, now);
        entry.Arrival!.SetResult(new EventArrival(true, deadline));
    }

    private static void See(EventEntry entry, ref long counter, EventState state)
    {
        counter++;
        entry.State = state;
    }

    /// <summary>The entry stays in the wheel's slot it is in; its new deadline is looked at when that slot comes round.</summary>
    private void Remember(EventEntry entry, EventState state, long now)
    {
        entry.State = state;
        entry.Deadline = now + memory;
        if (memory == 0)
        {
            Forget(entry);
        }
    }

    private bool IsKept(EventEntry entry) => _entries.TryGetValue(entry.Key, out var kept) && ReferenceEquals(kept, entry);

    // A later wait for the same key may have taken the entry's place.
    private void Forget(EventEntry entry)
    {
        if (IsKept(entry))
        {
            _entries.Remove(entry.Key);
        }
    }

    private void Put(EventEntry entry)
    {
        _entries[entry.Key] = entry;
        _wheel.Add(entry);
    }

    private static TaskCompletionSource<EventArrival> NewArrival() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private static InvalidOperationException AlreadyWaiting(EventKey key) => new(
        $"There is a wait for {key.Type} '{key.Id}' already; an event ends one wait. Use an id of its own for each operation, or withdraw "
        + "the first wait.");
}

/// <summary>What is known about one (type, id). Guarded by its shard's lock.</summary>
internal sealed class EventEntry(EventKey key, EventState state, long deadline)
{
    internal EventKey Key => key;
    internal EventState State { get; set; } = state;

    /// <summary>When <see cref="State"/> expires, in timestamps of the time provider.</summary>
    internal long Deadline { get; set; } = deadline;

    /// <summary>When the event was seen; meaningless while waiting.</summary>
    internal long Timestamp { get; set; }

    /// <summary>Null for an event that nobody waits for.</summary>
    internal TaskCompletionSource<EventArrival>? Arrival { get; set; }
}

internal readonly record struct EventKey(string Type, string Id);

internal enum EventState
{
    /// <summary>Registered; no event yet.</summary>
    Waiting,

    /// <summary>Event seen; not registered yet.</summary>
    Early,

    /// <summary>Both; remembered to recognise duplicates.</summary>
    Matched,

    /// <summary>Timed out; remembered to recognise late events.</summary>
    Lost,

    /// <summary>Timed out, and then the event came; remembered to recognise duplicates.</summary>
    Late,

    /// <summary>Given up; remembered to recognise events that came all the same.</summary>
    Withdrawn,
}

/// <summary>
/// Entries by deadline in a hashed timing wheel (Varghese and Lauck 1987, scheme 6): constant cost to add one, one visit of a slot for each
/// tick, no timer for each entry. An entry whose deadline was put off meanwhile moves on when its slot comes round. Guarded by its shard's
/// lock.
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

    /// <summary>
    /// Takes out every entry whose deadline is at or before <paramref name="now"/> and hands it to <paramref name="expire"/>, which says
    /// whether to keep it for its new deadline.
    /// </summary>
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

/// <summary>The counters of one shard, guarded by its lock.</summary>
internal sealed class EventTally
{
    internal long Registered;
    internal long Observed;
    internal long Matched;
    internal long Lost;
    internal long Late;
    internal long Duplicate;
    internal long Unmatched;
    internal long Withdrawn;
    internal long Buffered;
    internal long Overflowed;

    internal void Add(EventTally other)
    {
        Registered += other.Registered;
        Observed += other.Observed;
        Matched += other.Matched;
        Lost += other.Lost;
        Late += other.Late;
        Duplicate += other.Duplicate;
        Unmatched += other.Unmatched;
        Withdrawn += other.Withdrawn;
        Buffered += other.Buffered;
        Overflowed += other.Overflowed;
    }
}
