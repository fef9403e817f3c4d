namespace LoadTesting.Core.Results;

/// <summary>
/// Processor and memory while the scenario ran, per process. Names carry their unit: <c>cpuSeconds</c>, <c>cpuCores</c>,
/// <c>peakMemoryBytes</c>, <c>allocatedBytesPerOperation</c>. In process the generator and the service are one process: the figures
/// stand under <see cref="Generator"/>.
/// </summary>
public sealed record ResourcesResult
{
    /// <summary>The process that drives the load.</summary>
    public IReadOnlyDictionary<string, double?> Generator { get; init; } = new Dictionary<string, double?>();

    /// <summary>The system under test, when it has a process of its own.</summary>
    public IReadOnlyDictionary<string, double?> Service { get; init; } = new Dictionary<string, double?>();

    /// <summary>The backend's processes.</summary>
    public IReadOnlyDictionary<string, double?> Database { get; init; } = new Dictionary<string, double?>();
}
