namespace LoadTesting.Core.Load.Timelines;

/// <summary>
/// Processor time over real time and cores of the machine, each 0 to 1; null if a process was not watched.
/// </summary>
/// <param name="Generator">The process that drives the load, which includes an in-process service.</param>
/// <param name="Service">The service, if it has its own process.</param>
/// <param name="Database">The backend's processes.</param>
/// <param name="Machine">The whole machine, including time that the hypervisor gave to others.</param>
public sealed record TimelineCpu(double? Generator, double? Service, double? Database, double? Machine);
