using LoadTesting.Core.Analysis.Validity;

namespace PerformanceTesting.Measurement;

/// <summary>When resources are judged that must not grow.</summary>
public sealed record LeakRules
{
    /// <summary>
    /// A soak shorter than this has no slopes: pools, caches and the heap still fill. Default 10 minutes.
    /// </summary>
    public TimeSpan Shortest { get; init; } = LeakTest.ShortestSoak;

    /// <summary>Between two looks while it runs. Default 5 s.</summary>
    public TimeSpan Every { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Between two readings. Default 1 s.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Growth of memory that is never held against it, bytes. Default 16 MiB.</summary>
    public double MemoryFloorBytes { get; init; } = 16 << 20;

    /// <summary>Growth of open handles that is never held against it. Default 16.</summary>
    public double HandleFloor { get; init; } = 16;
}
