namespace IntegrationTests.Shared.Conformance;

/// <summary>A clock that stands still until it is advanced, and rings its timers then. Thread-safe.</summary>
public sealed class ManualTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Alarm> _alarms = [];
    private DateTimeOffset _now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>Called with the pause of each timer before it is set: what the clock does in that moment is the test's.</summary>
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

    private Alarm? NextBefore(DateTimeOffset end)
    {
        lock (_gate)
        {
            var next = _alarms.Where(a => a.Due <= end).MinBy(a => a.Due);
            if (next is null)
            {
                // In the same moment: whoever sets an alarm sets it before, and it rings, or sees the new time.
                _now = end > _now ? end : _now;
            }
            else
            {
                _now = next.Due > _now ? next.Due : _now;
                next.Due = next.Period > TimeSpan.Zero ? _now + next.Period : DateTimeOffset.MaxValue;
            }

            return next;
        }
    }

    private sealed class Alarm(ManualTime time, Action ring, TimeSpan period) : ITimer
    {
        public DateTimeOffset Due { get; set; } = DateTimeOffset.MaxValue;
        public TimeSpan Period { get; private set; } = period;

        public void Ring() => ring();

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            time.Setting?.Invoke(dueTime);
            lock (time._gate)
            {
                Period = period;
                Due = dueTime == Timeout.InfiniteTimeSpan ? DateTimeOffset.MaxValue : time._now + dueTime;
                if (!time._alarms.Contains(this))
                {
                    time._alarms.Add(this);
                }
            }

            return true;
        }

        public void Dispose()
        {
            lock (time._gate)
            {
                time._alarms.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
