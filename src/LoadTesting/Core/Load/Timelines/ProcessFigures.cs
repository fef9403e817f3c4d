namespace LoadTesting.Core.Load.Timelines;

/// <summary>Figures of the processes of a run in a period; null if not measured.</summary>
public record ProcessFigures
{
    /// <summary>
    /// 99th percentile of a work item's wait for a thread of the generator's thread pool, milliseconds; null if not
    /// measured.
    /// </summary>
    public double? PoolDelayP99Ms { get; init; }

    /// <summary>Processor shares; null if not measured.</summary>
    public TimelineCpu? Cpu { get; init; }

    /// <summary>
    /// Work waiting in the service at the end of the period, by the service's own gauge; null if it has no readable
    /// gauge.
    /// </summary>
    public double? Backlog { get; init; }

    /// <summary>
    /// The waits of the server's active sessions, as average number of sessions (0.5: one session half of the time), in
    /// descending order, at most five. Uses the server's names, and CPU for sessions that did not wait. Null if not
    /// sampled.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Waits { get; init; }

    /// <summary>
    /// The service's own metrics by name, as last scraped within the period; null if they were not. Counters count
    /// from the service's start.
    /// </summary>
    public IReadOnlyDictionary<string, double>? Metrics { get; init; }
}
