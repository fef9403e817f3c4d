namespace PerformanceTesting.Measurement;

/// <summary>
/// Looks at a load while it runs, and may end it. Observers that implement it are called once per interval.
/// </summary>
public interface ILoadWatcher
{
    /// <summary>The interval: whole seconds, at least 1. The shortest interval of all watchers counts.</summary>
    TimeSpan Every { get; }

    /// <summary>Called in turn, on a thread of the run, which it must not hold up.</summary>
    /// <returns>The reason to end the load before its time; null to go on.</returns>
    string? Look(LoadInterval interval);
}
