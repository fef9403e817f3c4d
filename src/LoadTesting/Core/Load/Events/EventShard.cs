namespace LoadTesting.Core.Load.Events;

/// <summary>One part of the keys behind one lock: the entries, their deadlines and their counters.</summary>
internal sealed class EventShard(long origin, long tickLength, long earlyRetention, long memory, int maximumEntries)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<EventKey, EventEntry> _entries = [];
    private readonly DeadlineWheel _wheel = new(origin, tickLength);
    private readonly Dictionary<string, long> _unexpected = new(StringComparer.Ordinal);
    private long _registered;
    private long _observed;
    private long _matched;
    private long _lost;
    private long _late;
    private long _duplicate;
    private long _unmatched;
    private long _withdrawn;
    private long _buffered;
    private long _overflowed;

    /// <returns>The wait, and whether it is open (its event has not come yet).</returns>
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
                    $"The wait for {key.Type} '{key.Id}' cannot be registered: about {maximumEntries} entries are kept "
                        + "in its shard already. Raise EventAwaiterOptions.MaximumEntries, or lower timeouts, "
                        + "EarlyRetention or Memory.");
            }

            var entry = new EventEntry(key, EventState.Waiting, now + timeout) { Arrival = NewArrival() };
            Put(entry);
            _registered++;
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

    internal long CountUnexpected(string type)
    {
        lock (_gate)
        {
            return _unexpected.GetValueOrDefault(type);
        }
    }

    /// <returns>Number of open waits that the event ended: 0 or 1.</returns>
    internal int Observe(EventKey key, long timestamp, long now)
    {
        lock (_gate)
        {
            _observed++;
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
                    See(entry, ref _late, EventState.Late);
                    return 1;
                case EventState.Lost:
                    See(entry, ref _late, EventState.Late);
                    return 0;
                case EventState.Withdrawn:
                    See(entry, ref _unmatched, EventState.Withdrawn);
                    return 0;
                default:
                    See(entry, ref _duplicate, entry.State);
                    return 0;
            }
        }
    }

    /// <returns>True if the wait was still open.</returns>
    internal bool Withdraw(EventEntry entry, long now)
    {
        lock (_gate)
        {
            if (entry.State != EventState.Waiting)
            {
                return false;
            }

            _withdrawn++;
            Remember(entry, EventState.Withdrawn, now);
            entry.Arrival!.SetCanceled(CancellationToken.None);
            return true;
        }
    }

    /// <returns>Number of open waits that were lost.</returns>
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
                        _unmatched++;
                        _buffered--;
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

    /// <summary>The counts of this shard. The order of events within their streams is not known here.</summary>
    internal EventAwaiterCounts Read()
    {
        lock (_gate)
        {
            return new EventAwaiterCounts
            {
                Registered = _registered,
                Observed = _observed,
                Matched = _matched,
                Lost = _lost,
                Late = _late,
                Duplicate = _duplicate,
                Unmatched = _unmatched,
                OutOfOrder = 0,
                Withdrawn = _withdrawn,
                Buffered = _buffered,
                Overflowed = _overflowed,
                Untracked = 0,
            };
        }
    }

    private EventEntry Claim(EventEntry early, long now)
    {
        early.Arrival = NewArrival();
        _unexpected[early.Key.Type]--;
        _registered++;
        _buffered--;
        Match(early, early.Timestamp, now);
        return early;
    }

    private void Buffer(EventKey key, long timestamp, long now)
    {
        if (_wheel.Count >= maximumEntries)
        {
            _overflowed++;
            return;
        }

        Put(new EventEntry(key, EventState.Early, now + earlyRetention) { Timestamp = timestamp });
        _unexpected[key.Type] = _unexpected.GetValueOrDefault(key.Type) + 1;
        _buffered++;
    }

    private void Match(EventEntry entry, long timestamp, long now)
    {
        _matched++;
        entry.Timestamp = timestamp;
        Remember(entry, EventState.Matched, now);
        entry.Arrival!.SetResult(new EventArrival(false, timestamp));
    }

    private void Lose(EventEntry entry, long now)
    {
        _lost++;
        var deadline = entry.Deadline;
        Remember(entry, EventState.Lost, now);
        entry.Arrival!.SetResult(new EventArrival(true, deadline));
    }

    private static void See(EventEntry entry, ref long counter, EventState state)
    {
        counter++;
        entry.State = state;
    }

    /// <summary>
    /// The entry stays in its slot of the wheel. Its new deadline is checked when that slot is visited.
    /// </summary>
    private void Remember(EventEntry entry, EventState state, long now)
    {
        entry.State = state;
        entry.Deadline = now + memory;
        if (memory == 0)
        {
            Forget(entry);
        }
    }

    private bool IsKept(EventEntry entry) =>
        _entries.TryGetValue(entry.Key, out var kept) && ReferenceEquals(kept, entry);

    // A later wait for the same key may have replaced the entry.
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

    private static TaskCompletionSource<EventArrival> NewArrival() =>
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private static InvalidOperationException AlreadyWaiting(EventKey key) => new(
        $"There is a wait for {key.Type} '{key.Id}' already; an event ends one wait. "
            + "Use a different id for each operation, or withdraw the first wait.");
}
