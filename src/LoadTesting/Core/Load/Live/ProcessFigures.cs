namespace LoadTesting.Core.Load.Live;

/// <summary>Figures of the processes of a run; null if not measured.</summary>
internal sealed record ProcessFigures(
    double? PoolDelayP99Ms = null, TimelineCpu? Cpu = null, double? Backlog = null,
    IReadOnlyDictionary<string, double>? Waits = null);
