namespace Workflow.Engine.Timers;

/// <summary>
/// The timers of a lane by due time. Entries are never removed early: a stale entry, whose wait or signal is gone, is
/// ignored when it is due. When the queue has doubled, it is rebuilt from the entries that are still needed, so that
/// the cost of an entry stays constant on average.
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
