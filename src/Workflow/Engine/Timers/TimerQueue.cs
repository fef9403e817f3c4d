namespace Workflow.Engine.Timers;

/// <summary>
/// Timers of a lane by due time. Entries are never removed early: a stale one, whose wait or signal is gone, is ignored when due. When the
/// queue has doubled, it is rebuilt from the entries still needed, so that the cost of an entry stays constant on average.
/// </summary>
internal sealed class TimerQueue
{
    private const int MinGrowth = 10_000;
    private readonly PriorityQueue<TimerEntry, DateTimeOffset> _queue = new();
    private int _kept;

    public DateTimeOffset? NextDueUtc => _queue.TryPeek(out _, out var due) ? due : null;
    public int Count => _queue.Count;
    public bool IsWorthCompacting => Count > (2 * _kept) + MinGrowth;

    public void Add(TimerEntry entry) => _queue.Enqueue(entry, entry.DueUtc);

    public bool TryTakeDue(DateTimeOffset now, out TimerEntry entry)
    {
        if (_queue.TryPeek(out entry, out var due) && due <= now)
        {
            _queue.Dequeue();
            return true;
        }

        return false;
    }

    public void Compact(Func<TimerEntry, bool> wanted)
    {
        var kept = _queue.UnorderedItems.Where(e => wanted(e.Element)).ToArray();
        _queue.Clear();
        _queue.EnqueueRange(kept);
        _kept = kept.Length;
    }
}

/// <summary>A timer: of a wait of an instance, or of a signal that is delayed or expires.</summary>
/// <param name="InstanceId">The instance of the wait.</param>
internal readonly record struct TimerEntry(DateTimeOffset DueUtc, Guid InstanceId, Guid WaitId, Guid SignalId)
{
    public static TimerEntry ForWait(DateTimeOffset due, Guid instance, Guid wait) => new(due, instance, wait, Guid.Empty);
    public static TimerEntry ForSignal(DateTimeOffset due, Guid signal) => new(due, Guid.Empty, Guid.Empty, signal);
}
