namespace Workflow.Engine.Timers;

/// <summary>
/// Timers of a lane in order of time. Entries are never removed early: one whose wait or signal is gone is ignored when it comes up, and
/// when most entries are such, the queue is rebuilt from those still wanted.
/// </summary>
internal sealed class TimerQueue
{
    private readonly PriorityQueue<TimerEntry, DateTimeOffset> _queue = new();

    public DateTimeOffset? NextDueUtc => _queue.TryPeek(out _, out var due) ? due : null;

    public int Count => _queue.Count;

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
    }
}
