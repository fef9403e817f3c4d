using Workflow.Engine.Residency;

namespace Workflow.Engine.Lanes;

/// <summary>
/// Reads timers of dormant instances, a page at a time, beside the lane's work. Belongs to one load. Only the lane
/// calls it.
/// </summary>
/// <param name="readAsync">Reads a page from the store, and the definitions that it needs.</param>
internal sealed class LaneDueReader(
    Func<DuePage, CancellationToken, Task<IReadOnlyList<DormantDue>>> readAsync, LaneServices services, LaneWork work,
    LaneIntake intake, int lane)
{
    private volatile IReadOnlyList<DormantDue>? _rows;
    private volatile bool _isOver;

    /// <summary>The page that is read, or that waits to be taken over; null if there is none.</summary>
    public DuePage? Page { get; private set; }

    public void Begin(DuePage page)
    {
        Page = page;
        work.RunRelay(token => ReadAsync(page, token));
    }

    /// <summary>Returns the page when it is read; otherwise null.</summary>
    public IReadOnlyList<DormantDue>? TryTake()
    {
        var rows = _rows;
        if (rows is not null)
        {
            (_rows, Page) = (null, null);
        }

        return rows;
    }

    /// <summary>The lane is loaded again: what is read is not needed any more.</summary>
    public void End() => _isOver = true;

    private async Task ReadAsync(DuePage page, CancellationToken cancellationToken)
    {
        _rows = await RepeatedRead.UntilAnsweredAsync(
            token => readAsync(page, token), () => _isOver,
            (e, pauseMs) => Log.DueFailed(services.Logger, e, lane, pauseMs), services.Time, cancellationToken);
        intake.Wake();
    }
}
