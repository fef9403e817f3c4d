namespace UnitTests.Running;

/// <summary>A clock on which every wait ends at once and has taken exactly the requested time.</summary>
internal sealed class LeapingTime : TimeProvider
{
    private long _ticks;
    private int _leaps;

    public TimeSpan Elapsed => new(Volatile.Read(ref _ticks));
    public int Leaps => Volatile.Read(ref _leaps);
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Volatile.Read(ref _ticks);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Interlocked.Add(ref _ticks, dueTime.Ticks);
        Interlocked.Increment(ref _leaps);
        return System.CreateTimer(callback, state, TimeSpan.Zero, period);
    }
}
