namespace Workflow.Engine.Residency;

/// <summary>
/// Up to when the timers of dormant instances are in memory. They are read ahead page by page, one page at a time,
/// beside the lane's work. An instance whose timer may be in a page that is read, or is behind that, stays in memory.
/// </summary>
internal sealed class DueWindow
{
    /// <summary>How far timers are read ahead.</summary>
    private static readonly TimeSpan Horizon = TimeSpan.FromSeconds(10);

    /// <summary>How long before the end of what was read the next page is read.</summary>
    private static readonly TimeSpan Lead = TimeSpan.FromSeconds(1);

    /// <summary>A lane does nothing else while it takes a page over: callers wait for that.</summary>
    private const int PageSize = 256;

    /// <summary>What has left memory since the page was begun: the page may have an old row of it.</summary>
    private readonly HashSet<Guid> _left = [];

    private (DateTimeOffset DueUtc, Guid Id)? _last;
    private DateTimeOffset? _underWayEnd;

    /// <summary>When the next page is to be read; null while one is.</summary>
    public DateTimeOffset? NextReadUtc => _underWayEnd is not null ? null
        : FiresUntil == DateTimeOffset.MinValue ? FiresUntil
        : FiresUntil - Lead;

    /// <summary>An instance with a timer up to this time must stay in memory: no later page may have it.</summary>
    public DateTimeOffset StaysUntil => _underWayEnd ?? FiresUntil;

    /// <summary>Up to when all timers are in memory, so that they may fire.</summary>
    public DateTimeOffset FiresUntil { get; private set; } = DateTimeOffset.MinValue;

    /// <summary>Returns the page to be read now.</summary>
    public DuePage Begin(DateTimeOffset now)
    {
        _underWayEnd = now + Horizon;
        return new(_last, now + Horizon, PageSize);
    }

    /// <summary>An instance leaves memory.</summary>
    public void Leave(Guid id)
    {
        if (_underWayEnd is not null)
        {
            _left.Add(id);
        }
    }

    /// <summary>The page is read.</summary>
    /// <returns>The rows that are still true.</returns>
    public IEnumerable<InstanceRow> End(DuePage page, IReadOnlyList<DormantDue> read)
    {
        var isWhole = read.Count < page.Limit;

        // Behind the last one that was read, or behind all of the same time: new ones are due later.
        _last = isWhole ? (page.Until, Guid.AllBitsSet) : (read[^1].DueUtc, read[^1].Row.Id);
        FiresUntil = _last.Value.DueUtc;
        _underWayEnd = null;
        InstanceRow[] rows = [.. read.Select(due => due.Row).Where(row => !_left.Contains(row.Id))];
        _left.Clear();
        return rows;
    }
}
