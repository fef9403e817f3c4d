namespace Workflow.Engine.Lanes;

/// <summary>
/// Commands that wait for a lane, by source. Callers, the engine's own work (results, messages, restarts) and due timers each have a third
/// of what a batch has room for, and what one does not use goes to the others; a quarter of every batch is kept for callers. So no source,
/// however much it brings, keeps another one waiting for longer than a batch. Any thread adds; only the lane takes.
/// </summary>
internal sealed class Mailbox
{
    private const int Sources = 3;
    private readonly ConcurrentQueue<LaneCommand> _callers = new();
    private readonly ConcurrentQueue<LaneCommand> _loaded = new();
    private readonly ConcurrentQueue<LaneCommand> _own = new();
    private int _turn;

    public bool IsEmpty => _callers.IsEmpty && _loaded.IsEmpty && _own.IsEmpty;

    /// <summary>What callers have posted and no batch has taken.</summary>
    public IEnumerable<LaneCommand> OfCallers => _callers;

    public void AddOfCaller(LaneCommand command) => _callers.Enqueue(command);
    public void AddOwn(LaneCommand command) => _own.Enqueue(command);

    /// <summary>Adds a message that was loaded with the lane: own work, and before all other.</summary>
    public void AddLoaded(LaneCommand command) => _loaded.Enqueue(command);

    /// <summary>Takes the messages that were loaded with the lane and are still here: the next load has them too.</summary>
    public IEnumerable<LaneCommand> TakeLoaded()
    {
        while (_loaded.TryDequeue(out var command))
        {
            yield return command;
        }
    }

    public bool TryTake(out LaneCommand command) => _callers.TryDequeue(out command!) || TryTakeOwn(out command!);

    /// <summary>Takes commands for a batch.</summary>
    /// <param name="taken">Where they go, behind what it holds.</param>
    /// <param name="room">How many it may hold then.</param>
    /// <param name="limit">How many an empty batch may hold.</param>
    /// <param name="nextTimer">Takes the next due timer; null when none is due.</param>
    public void Take(Queue<LaneCommand> taken, int room, int limit, Func<LaneCommand?> nextTimer)
    {
        var part = Math.Max(1, (room - taken.Count) / Sources);
        _turn = (_turn + 1) % Sources;
        for (var source = 0; source < Sources; source++)
        {
            Take((_turn + source) % Sources, Math.Min(room, taken.Count + part));
        }

        Take(0, room);
        Take(1, room - (limit / 4));
        Take(2, room - (limit / 4));

        void Take(int source, int upTo)
        {
            while (taken.Count < upTo && Next(source) is { } command)
            {
                taken.Enqueue(command);
            }
        }

        LaneCommand? Next(int source) => source switch
        {
            0 => _callers.TryDequeue(out var command) ? command : null,
            1 => TryTakeOwn(out var command) ? command : null,
            _ => nextTimer(),
        };
    }

    private bool TryTakeOwn(out LaneCommand command) => _loaded.TryDequeue(out command!) || _own.TryDequeue(out command!);
}

/// <summary>
/// What was accepted and is not done, by number and by size, and how fast it is worked off. What is done first makes room, then its sender
/// is notified, and then it counts as answered: a sender that waits for each answer always finds room. Thread-safe.
/// </summary>
internal sealed class Backlog(EngineLimits limits, TimeProvider time)
{
    /// <summary>Of clients that look for room at the same time, only one may find the last.</summary>
    private readonly Lock _clients = new();
    private int _count;
    private int _unanswered;
    private long _added;
    private long _size;
    private long _progressedTicks;
    private double _perSecond;

    /// <summary>How many take room.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether the senders of all have been notified.</summary>
    public bool IsAnswered => Volatile.Read(ref _unanswered) == 0;

    /// <summary>How many there have been.</summary>
    public long Added => Interlocked.Read(ref _added);

    /// <summary>Whether there is room for what other nodes have accepted: twice as much, so that clients cannot keep it out.</summary>
    public bool HasRoom => Interlocked.Read(ref _size) / 2 < limits.MaxPendingSize;

    /// <summary>When some of it was done last, or the first of it came.</summary>
    public long ProgressedTicks => Interlocked.Read(ref _progressedTicks);

    /// <summary>How long there has been work and none of it was done; zero while there is none.</summary>
    public TimeSpan SinceProgress => time.GetElapsedTime(ProgressedTicks);

    /// <summary>Adds what a client sends.</summary>
    /// <exception cref="OverloadedException">It is full. Whatever is alone has room.</exception>
    public void AddOfClient(long size)
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

    /// <summary>One is done, and its sender is notified next: there is room for another.</summary>
    public void Free(long size)
    {
        Interlocked.Add(ref _size, -size);
        Interlocked.Decrement(ref _count);
    }

    /// <summary>Its sender has been notified.</summary>
    /// <returns>Whether all are answered now.</returns>
    public bool Answered() => Interlocked.Decrement(ref _unanswered) == 0;

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
