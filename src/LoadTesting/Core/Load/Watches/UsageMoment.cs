namespace LoadTesting.Core.Load.Watches;

/// <summary>Resources used from the start of a watch until a moment.</summary>
/// <param name="At">In Stopwatch ticks.</param>
/// <param name="Processes">Use by process name.</param>
/// <param name="MachineCpuSeconds">Processor seconds of the whole machine since a fixed moment; null if
/// unknown.</param>
/// <param name="Sums">The system's own sums.</param>
public sealed record UsageMoment(
    long At, IReadOnlyDictionary<string, ProcessUsage> Processes, double? MachineCpuSeconds, SystemSums Sums);
