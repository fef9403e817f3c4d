namespace LoadTesting.Core.Load.Watches;

/// <summary>Processor time that hypervisor and control group withheld.</summary>
/// <param name="StealShare">Share of processor time, 0 to 1, that the hypervisor gave to others; null if the kernel
/// does not report it.</param>
/// <param name="ThrottledShare">Time that the control group was throttled, as a share of real time, 0 to 1 and more
/// with several processors; null if not reported.</param>
/// <param name="Duration">Duration of the measurement.</param>
public sealed record HostSample(double? StealShare, double? ThrottledShare, TimeSpan Duration);
