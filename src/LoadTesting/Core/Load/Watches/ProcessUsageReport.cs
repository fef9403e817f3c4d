namespace LoadTesting.Core.Load.Watches;

/// <summary>What watched processes used.</summary>
/// <param name="Processes">By name; a process that ended, or that cannot be seen, is not among them.</param>
/// <param name="MachineCpuSeconds">Processor seconds that the whole machine used, with those the hypervisor gave to others; null where not known.</param>
/// <param name="Duration">How long they were watched.</param>
/// <param name="Notes">Why something is missing.</param>
public sealed record ProcessUsageReport(
    IReadOnlyDictionary<string, ProcessUsage> Processes, double? MachineCpuSeconds, TimeSpan Duration, IReadOnlyList<string> Notes);
