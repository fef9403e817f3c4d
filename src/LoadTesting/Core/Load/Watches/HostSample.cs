namespace LoadTesting.Core.Load.Watches;

/// <summary>What was taken from the machine while it was watched.</summary>
/// <param name="StealShare">Share of processor time, 0 to 1, that the hypervisor gave to others; null where the kernel does not tell.</param>
/// <param name="ThrottledShare">Share of real time, 0 to 1 and more with several processors, for which the control group was throttled; null where it is not told.</param>
/// <param name="Duration">How long it was watched.</param>
public sealed record HostSample(double? StealShare, double? ThrottledShare, TimeSpan Duration);
