namespace IntegrationTests.Shared.Conformance;

/// <summary>A clock that stands still until it is advanced, and rings its timers then. Thread-safe.</summary>
public sealed class ManualTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly SortedSet<Alarm> _set = new(Comparer<Alarm>.Create(
        (left, right) => left.Due == right.Due ? left.Number.CompareTo(right.Number) : left.Due.CompareTo(right.Due)));
    private long _made;
    private DateTimeOffset _now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>
    /// Called with the pause of each timer before it is set, so that a test can move the clock in that moment.
    /// </summary>
    public Action<TimeSpan>? Setting { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow()
    {
        lock (_gate)
        {
            return _now;
        }
    }

    public override long GetTimestamp() => GetUtcNow().UtcTicks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var alarm = new Alarm(this, () => callback(state), period);
        alarm.Change(dueTime, period);
        return alarm;
    }

    /// <summary>Moves the clock on, timer by timer in order of time.</summary>
    public void Advance(TimeSpan by)
    {
        var end = GetUtcNow() + by;
        while (NextBefore(end) is { } next)
        {
            next.Ring();
        }
    }

    /// <summary>
    /// Advances the clock to the next timer and fires it. Simultaneous ones fire in order of creation.
    /// </summary>
    /// <returns>False when no timer is set.</returns>
    public bool AdvanceToNext()
    {
        var next = NextBefore(end: null);
        next?.Ring();
        return next is not null;
    }

    /// <summary>
    /// Moves the clock on, step by step and however often, until that has ended: it may not have set its timer yet.
    /// After three minutes the test fails.
    /// </summary>
    public Task AdvanceUntilAsync(Task done, TimeSpan step) => Eventually.HoldsAsync(
        () =>
        {
            Advance(step);
            return done.IsCompleted;
        },
        "the end of what waits for the clock");

    private Alarm? NextBefore(DateTimeOffset? end)
    {
        lock (_gate)
        {
            if (_set.Min is { } next && !(next.Due > end))
            {
                _now = next.Due > _now ? next.Due : _now;
                Set(next, next.Period > TimeSpan.Zero ? _now + next.Period : null);
                return next;
            }

            // Both under one lock: an alarm is set before and fires, or sees the new time.
            _now = end > _now ? end.Value : _now;
            return null;
        }
    }

    private void Set(Alarm alarm, DateTimeOffset? due)
    {
        _set.Remove(alarm);
        if (due is not null)
        {
            alarm.Due = due.Value;
            _set.Add(alarm);
        }
    }

    private sealed class Alarm(ManualTime time, Action ring, TimeSpan period) : ITimer
    {
        public long Number { get; } = Interlocked.Increment(ref time._made);
        public DateTimeOffset Due { get; set; }
        public TimeSpan Period { get; private set; } = period;

        public void Ring() => ring();

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            time.Setting?.Invoke(dueTime);
            lock (time._gate)
            {
                Period = period;
                time.Set(this, dueTime == Timeout.InfiniteTimeSpan ? null : time._now + dueTime);
            }

            return true;
        }

        public void Dispose()
        {
            lock (time._gate)
            {
                time._set.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
