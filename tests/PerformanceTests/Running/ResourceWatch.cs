using LoadTesting.Core.Load.Watches;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Backends.Containers;

namespace PerformanceTests.Running;

/// <summary>Watches processes and connection pools while a load runs.</summary>
internal sealed class ResourceWatch : IAsyncDisposable
{
    private const string Generator = "generator";
    private const string Service = "service";
    private const string Database = "database";

    private readonly ProcessUsageWatch _processes;
    private readonly ConnectionPoolWatch? _pools;
    private readonly ContainerWatch? _container;
    private readonly string? _whyNoDatabase;

    private ResourceWatch(ProcessUsageWatch processes, ConnectionPoolWatch? pools, ContainerWatch? container, string? whyNoDatabase)
    {
        _processes = processes;
        _pools = pools;
        _container = container;
        _whyNoDatabase = whyNoDatabase;
    }

    /// <summary>Begins to watch.</summary>
    /// <param name="serviceProcessId">The process of the system under test; this one when it is in process.</param>
    /// <param name="server">The backend's server; null where there is none.</param>
    public static ResourceWatch Start(int serviceProcessId, BackendServer? server)
    {
        var isInProcess = serviceProcessId == Environment.ProcessId;
        var processes = new List<WatchedProcess> { new(Generator, Environment.ProcessId) };
        if (!isInProcess)
        {
            processes.Add(new(Service, serviceProcessId));
        }

        var postmaster = server?.ProcessId;
        if (postmaster is { } id)
        {
            processes.Add(new(Database, id, WithChildren: true));
        }

        var whyNot = postmaster is not null || server?.Container is not null ? null
            : server is null ? "This profile has no database."
            : "The database server is an external one: its processes are not in reach.";
        var container = server?.Container is { } running ? ContainerWatch.Start(running) : null;
        return new ResourceWatch(ProcessUsageWatch.Start(processes), isInProcess ? ConnectionPoolWatch.Start() : null, container, whyNot);
    }

    /// <summary>Ends watching.</summary>
    public async Task<ResourceObservation> StopAsync()
    {
        var pool = _pools is null ? null : await _pools.StopAsync();
        var report = await _processes.StopAsync();
        var (container, problem) = _container is null ? (null, null) : await _container.StopAsync();
        var generator = report.Processes.GetValueOrDefault(Generator);
        return new ResourceObservation
        {
            Duration = report.Duration,
            IsInProcess = _pools is not null,
            Generator = generator,
            Service = _pools is not null ? generator : report.Processes.GetValueOrDefault(Service),
            Database = report.Processes.GetValueOrDefault(Database)
                ?? (container is null ? null : new ProcessUsage(container.CpuSeconds, RunDelaySeconds: null, container.MemoryBytes)),
            DatabaseContainer = container,
            MachineCpuSeconds = report.MachineCpuSeconds,
            Pool = pool,
            WhyNoDatabase = _whyNoDatabase,
            Notes = problem is null ? report.Notes : [.. report.Notes, $"Null: container figures of the database: {problem}."],
        };
    }

    public async ValueTask DisposeAsync()
    {
        if (_pools is not null)
        {
            await _pools.DisposeAsync();
        }

        if (_container is not null)
        {
            await _container.DisposeAsync();
        }

        await _processes.DisposeAsync();
    }
}
