namespace LoadTesting.Core.Load.Events;

/// <summary>One part of the keys behind one lock: the entries, their deadlines and their counters.</summary>
internal sealed class EventShard(long origin, long tickLength, long earlyRetention, long memory, int maximumEntries)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<EventKey, EventEntry> _entries = [];
    private readonly DeadlineWheel _wheel = new(origin, tickLength);
    private readonly EventTally _tally = new();

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
                    $"The wait for {key.Type} '{key.Id}' cannot be registered: about {maximumEntries} entries are kept in its shard already. Raise EventAwaiterOptions.MaximumEntries, or lower timeouts, EarlyRetention or Memory.");
            }

            var entry = new EventEntry(key, EventState.Waiting, now + timeout) { Arrival = NewArrival() };
            Put(entry);
            _tally.Registered++;
            return (entry, true);
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
        $"There is a wait for {key.Type} '{key.Id}' already; an event ends one wait. Use an id of its own for each operation, or withdraw the first wait.");
}
