namespace Workflow.Engine.Lanes;

/// <summary>
/// Reads the instances that were in memory before the lane was loaded: a page after the other beside the lane's work,
/// and those of partitions that commands need before that by themselves. Belongs to one load. Only the lane calls it.
/// </summary>
internal sealed class LaneRecovery(
    ILaneStore store, LaneServices services, LaneWork work, LaneIntake intake, int lane)
{
    /// <summary>The number of partitions in a page.</summary>
    private const int PageSize = Partitioning.Count / 16;

    /// <summary>How long a page waits for a moment in which no command does.</summary>
    private static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(200);

    private readonly long _began = services.Time.GetTimestamp();
    private volatile IReadOnlyList<InstanceRow>? _rows;
    private long _readTicks;
    private volatile bool _isOver;

    public TimeSpan Elapsed => services.Time.GetElapsedTime(_began);

    /// <summary>The partitions of the page.</summary>
    public IReadOnlyCollection<short> Page { get; private set; } = [];

    /// <summary>Whether the page is read.</summary>
    public bool HasPage => _rows is not null;

    /// <summary>Whether the page must not wait for commands any longer.</summary>
    public bool IsLate => HasPage && services.Time.GetElapsedTime(_readTicks) >= LongestWait;

    /// <summary>Begins to read the next page.</summary>
    public void BeginPage(IEnumerable<short> unread)
    {
        _rows = null;
        Page = [.. unread.Take(PageSize)];
        work.RunRelay(token => ReadPageAsync(Page, token));
    }

    /// <summary>The rows of the page, or of other partitions, which are read from the store.</summary>
    public async ValueTask<IReadOnlyList<InstanceRow>> RowsOfAsync(
        IReadOnlyCollection<short> partitions, CancellationToken cancellationToken) =>
        partitions == Page && _rows is { } rows ? rows : await store.ReadInstancesAsync(partitions, cancellationToken);

    /// <summary>The lane is loaded again: what is read is not needed any more.</summary>
    public void End() => _isOver = true;

    private async Task ReadPageAsync(IReadOnlyCollection<short> partitions, CancellationToken cancellationToken)
    {
        var rows = await RepeatedRead.UntilAnsweredAsync(
            token => store.ReadInstancesAsync(partitions, token), () => _isOver,
            (e, pauseMs) => Log.RecoveryFailed(services.Logger, e, lane, pauseMs), services.Time, cancellationToken);
        _readTicks = services.Time.GetTimestamp();
        _rows = rows;
        intake.Wake();
    }
}
