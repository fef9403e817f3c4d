namespace UnitTests.LoadTesting;

/// <summary>Time that passes only when a test advances it. Timers fire in order of their due times, on the advancing thread.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly List<ManualTimer> _timers = [];
    private readonly Lock _gate = new();
    private TimeSpan _now = TimeSpan.FromHours(1);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp()
    {
        lock (_gate)
        {
            return _now.Ticks;
        }
    }

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch + TimeSpan.FromTicks(GetTimestamp());

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    internal void Advance(TimeSpan by)
    {
        var end = TimeSpan.FromTicks(GetTimestamp()) + by;
        while (Next(end) is { } timer)
        {
            timer.Fire();
        }

        lock (_gate)
        {
            _now = end;
        }
    }

    private ManualTimer? Next(TimeSpan end)
    {
        lock (_gate)
        {
            var timer = _timers.Where(candidate => candidate.Due <= end).MinBy(candidate => candidate.Due);
            if (timer is not null)
            {
                _now = timer.Due > _now ? timer.Due : _now;
                timer.MoveOn();
            }

            return timer;
        }
    }

    private sealed class ManualTimer(ManualTime owner, Action callback) : ITimer
    {
        private TimeSpan _period;

        internal TimeSpan Due { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (owner._gate)
            {
                owner._timers.Remove(this);
                if (dueTime != Timeout.InfiniteTimeSpan)
                {
                    (Due, _period) = (owner._now + dueTime, period);
                    owner._timers.Add(this);
                }

                return true;
            }
        }

        public void Dispose() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }

        internal void Fire() => callback();

        internal void MoveOn()
        {
            if (_period > TimeSpan.Zero)
            {
                Due += _period;
            }
            else
            {
                owner._timers.Remove(this);
            }
        }
    }
}
