using Workflow.Abstractions.Exceptions;
using Workflow.Engine.Configuration;

namespace Workflow.Engine.Lanes;

/// <summary>What was accepted and is not done, by number and by size, and how fast it is worked off. Thread-safe.</summary>
internal sealed class Backlog(EngineLimits limits, TimeProvider time)
{
    private int _count;
    private long _size;
    private long _progressedTicks;
    private double _perSecond;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether there is room for what other nodes have accepted: twice as much, so that clients cannot keep it out.</summary>
    public bool HasRoom => Interlocked.Read(ref _size) / 2 < limits.MaxPendingSize;

    /// <summary>How long there has been work and none of it was done; zero while there is none.</summary>
    public TimeSpan SinceProgress => time.GetElapsedTime(Interlocked.Read(ref _progressedTicks));

    /// <summary>Adds what a client sends.</summary>
    /// <exception cref="OverloadedException">It is full. Whatever is alone has room.</exception>
    public void AddOfClient(long size)
    {
        var count = Count;
        if (count >= limits.MaxPendingCommands)
        {
            throw new OverloadedException(count, limits.MaxPendingCommands, TimeToClear(count));
        }

        var pending = Interlocked.Read(ref _size);
        if (count > 0 && pending + size > limits.MaxPendingSize)
        {
            throw OverloadedException.OfSize(pending, limits.MaxPendingSize, TimeToClear(count));
        }

        Add(size);
    }

    public void Add(long size)
    {
        Interlocked.Add(ref _size, size);
        if (Interlocked.Increment(ref _count) == 1)
        {
            Interlocked.Exchange(ref _progressedTicks, time.GetTimestamp());
        }
    }

    /// <returns>Whether nothing is left.</returns>
    public bool Remove(long size)
    {
        Interlocked.Add(ref _size, -size);
        return Interlocked.Decrement(ref _count) == 0;
    }

    /// <summary>Some of it is done. One thread at a time.</summary>
    public void Progress(int done)
    {
        var before = Interlocked.Exchange(ref _progressedTicks, time.GetTimestamp());
        var perSecond = done / Math.Max(time.GetElapsedTime(before).TotalSeconds, 1e-6);
        Volatile.Write(ref _perSecond, _perSecond == 0 ? perSecond : (0.9 * _perSecond) + (0.1 * perSecond));
    }

    /// <summary>How long it will take for what waits, at its rate of late: 1 to 30 s.</summary>
    private TimeSpan TimeToClear(int count) =>
        TimeSpan.FromSeconds(Math.Clamp(count / Math.Max(Volatile.Read(ref _perSecond), 1), 1, 30));
}
