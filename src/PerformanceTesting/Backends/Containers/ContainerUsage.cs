namespace PerformanceTesting.Backends.Containers;

/// <summary>What the processes of a container used, by the engine's account of its control group.</summary>
/// <param name="CpuSeconds">Processor time since it started, seconds.</param>
/// <param name="MemoryBytes">Memory in use now, bytes, without file pages that the kernel may drop at any time.</param>
public sealed record ContainerUsage(double CpuSeconds, long MemoryBytes);
