namespace PerformanceTesting.Backends.Containers;

/// <summary>A container with a server in it; disposing of it removes it, with its volumes.</summary>
public interface IServerContainer : IAsyncDisposable
{
    /// <summary>As <c>docker ps</c> shows it, or more of it.</summary>
    string Id { get; }

    string Name { get; }

    /// <summary>Where published ports are reached: an address, never <c>localhost</c>, which may mean another family of them.</summary>
    string Host { get; }

    /// <summary>The last lines that the container wrote, or that it wrote none.</summary>
    string LogTail { get; }

    /// <summary>The published port of a port in the container; stays the same when the container starts again.</summary>
    int PortOf(int containerPort);

    /// <summary>The engine's answer at this moment.</summary>
    Task<ContainerState> ReadStateAsync(CancellationToken cancellationToken);

    /// <summary>Processor and memory since it started, its processes together; null where the engine does not report it.</summary>
    Task<ContainerUsage?> ReadUsageAsync(CancellationToken cancellationToken);

    /// <summary>Runs a command in it to its end.</summary>
    Task<CommandResult> ExecuteAsync(IReadOnlyList<string> command, CancellationToken cancellationToken);

    /// <summary>Ends it at once, by SIGKILL; returns when it has ended.</summary>
    Task KillAsync(CancellationToken cancellationToken);

    /// <summary>Starts it again after its end, with the same data and ports.</summary>
    Task StartAgainAsync(CancellationToken cancellationToken);

    /// <summary>Freezes its processes: they answer nothing until <see cref="ResumeAsync"/>.</summary>
    Task PauseAsync(CancellationToken cancellationToken);

    Task ResumeAsync(CancellationToken cancellationToken);
}

/// <summary>The state of a container as the engine reports it.</summary>
/// <param name="IsRunning">Whether its first process lives; a paused one does.</param>
/// <param name="ExitCode">Of the first process, when it has ended; else 0.</param>
/// <param name="ProcessId">The first process as this machine numbers it; null when it has ended or runs on another machine.</param>
/// <param name="IsOutOfMemory">Whether the kernel ended it for want of memory.</param>
public sealed record ContainerState(bool IsRunning, int ExitCode, int? ProcessId, bool IsOutOfMemory);

/// <summary>What the processes of a container used, by the engine's account of its control group.</summary>
/// <param name="CpuSeconds">Processor time since it started, seconds.</param>
/// <param name="MemoryBytes">Memory in use now, bytes, without file pages that the kernel may drop at any time.</param>
public sealed record ContainerUsage(double CpuSeconds, long MemoryBytes);
