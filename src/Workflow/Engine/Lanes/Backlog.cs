namespace Workflow.Engine.Lanes;

/// <summary>
/// The accepted commands that are not finished: their number, their size and the rate at which they finish. A finished
/// command frees its room first, then its sender is notified, then it counts as answered. A sender that waits for each
/// answer therefore always finds room. Thread-safe.
/// </summary>
internal sealed class Backlog(EngineLimits limits, TimeProvider time)
{
    /// <summary>Lets only one of several concurrent clients take the last room.</summary>
    private readonly Lock _clients = new();
    private int _count;
    private int _unanswered;
    private long _added;
    private long _size;
    private long _progressedTicks;
    private double _perSecond;

    /// <summary>The number of commands that occupy room.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether the senders of all commands have been notified.</summary>
    public bool IsAnswered => Volatile.Read(ref _unanswered) == 0;

    /// <summary>The total number of commands added so far.</summary>
    public long Added => Interlocked.Read(ref _added);

    /// <summary>
    /// Whether there is room for commands that other nodes have accepted. The limit is twice that of clients, so that
    /// clients cannot block them.
    /// </summary>
    public bool HasRoom => Interlocked.Read(ref _size) / 2 < limits.MaxPendingSize;

    /// <summary>The time of the last progress, or of the first command after an empty backlog.</summary>
    public long LastProgressTicks => Interlocked.Read(ref _progressedTicks);

    /// <summary>The time since the last progress. Only meaningful while there are commands.</summary>
    public TimeSpan TimeSinceProgress => time.GetElapsedTime(LastProgressTicks);

    /// <exception cref="OverloadedException">The backlog is full. A command that is alone always fits.</exception>
    public void AddFromClient(long size)
    {
        int count;
        long pending;
        lock (_clients)
        {
            (count, pending) = (Count, Interlocked.Read(ref _size));
            if (count < limits.MaxPendingCommands && (count == 0 || pending + size <= limits.MaxPendingSize))
            {
                Add(size);
                return;
            }
        }

        throw count >= limits.MaxPendingCommands
            ? new OverloadedException(count, limits.MaxPendingCommands, TimeToClear(count))
            : OverloadedException.OfSize(pending, limits.MaxPendingSize, TimeToClear(count));
    }

    public void Add(long size)
    {
        Interlocked.Increment(ref _added);
        Interlocked.Increment(ref _unanswered);
        Interlocked.Add(ref _size, size);
        if (Interlocked.Increment(ref _count) == 1)
        {
            Interlocked.Exchange(ref _progressedTicks, time.GetTimestamp());
        }
    }

    /// <summary>Frees the room of a finished command. Its sender is notified next.</summary>
    public void Remove(long size)
    {
        Interlocked.Add(ref _size, -size);
        Interlocked.Decrement(ref _count);
    }

    public bool MarkAnswered() => Interlocked.Decrement(ref _unanswered) == 0;

    /// <summary>Only one thread may call this at a time.</summary>
    public void RecordProgress(int done)
    {
        var before = Interlocked.Exchange(ref _progressedTicks, time.GetTimestamp());
        var perSecond = done / Math.Max(time.GetElapsedTime(before).TotalSeconds, 1e-6);
        Volatile.Write(ref _perSecond, _perSecond == 0 ? perSecond : (0.9 * _perSecond) + (0.1 * perSecond));
    }

    /// <summary>The estimated time until the pending commands are finished at the recent rate: 1 to 30 s.</summary>
    private TimeSpan TimeToClear(int count) =>
        TimeSpan.FromSeconds(Math.Clamp(count / Math.Max(Volatile.Read(ref _perSecond), 1), 1, 30));
}
