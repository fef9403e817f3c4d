namespace PerformanceTesting.Backends.Containers;

/// <summary>The state of a container as the engine reports it.</summary>
/// <param name="IsRunning">Whether its first process lives; a paused one does.</param>
/// <param name="ExitCode">Of the first process, when it has ended; else 0.</param>
/// <param name="ProcessId">
/// The first process as this machine numbers it; null when it has ended or runs on another machine.
/// </param>
/// <param name="IsOutOfMemory">Whether the kernel ended it for want of memory.</param>
public sealed record ContainerState(bool IsRunning, int ExitCode, int? ProcessId, bool IsOutOfMemory);
