namespace LoadTesting.Core.Load.Watches;

/// <summary>
/// Reads figures of other processes during a load, such as processor time, or work waiting in a service.
/// </summary>
public interface ITimelineSource
{
    /// <summary>
    /// Reads all figures. Called about once a second, never concurrently. A reading of more than a second skips
    /// seconds.
    /// </summary>
    ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken);
}
