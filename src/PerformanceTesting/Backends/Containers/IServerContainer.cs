namespace PerformanceTesting.Backends.Containers;

/// <summary>A container with a server in it; disposing of it removes it, with its volumes.</summary>
public interface IServerContainer : IAsyncDisposable
{
    /// <summary>As <c>docker ps</c> shows it, or more of it.</summary>
    string Id { get; }

    string Name { get; }

    /// <summary>
    /// Where published ports are reached: an address, never <c>localhost</c>, which may mean another family of them.
    /// </summary>
    string Host { get; }

    /// <summary>
    /// The published port of a port in the container; stays the same when the container starts again.
    /// </summary>
    int PortOf(int containerPort);

    /// <summary>The last lines that the container wrote, or why there are none.</summary>
    Task<string> ReadLogTailAsync(CancellationToken cancellationToken);

    /// <summary>The engine's answer at this moment.</summary>
    Task<ContainerState> ReadStateAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Processor time and memory of its processes since the start; null if the engine does not report them.
    /// </summary>
    Task<ContainerUsage?> ReadUsageAsync(CancellationToken cancellationToken);

    /// <summary>Ends it at once, by SIGKILL; returns when it has ended.</summary>
    Task KillAsync(CancellationToken cancellationToken);

    /// <summary>Starts it again after its end, with the same data and ports.</summary>
    Task StartAgainAsync(CancellationToken cancellationToken);

    /// <summary>Freezes its processes: they answer nothing until <see cref="ResumeAsync"/>.</summary>
    Task PauseAsync(CancellationToken cancellationToken);

    Task ResumeAsync(CancellationToken cancellationToken);
}
