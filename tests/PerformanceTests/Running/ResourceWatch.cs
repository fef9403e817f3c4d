using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Backends.Collectors;
using LoadTesting.Core.Health;

namespace PerformanceTests.Running;

/// <summary>Watches processes and connection pools while a load runs.</summary>
internal sealed class ResourceWatch : IAsyncDisposable
{
    private const string Generator = "generator";
    private const string Service = "service";
    private const string Database = "database";

    private readonly ProcessUsageWatch _processes;
    private readonly ConnectionPoolWatch? _pools;
    private readonly string? _whyNoDatabase;

    private ResourceWatch(ProcessUsageWatch processes, ConnectionPoolWatch? pools, string? whyNoDatabase)
    {
        _processes = processes;
        _pools = pools;
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

        var whyNot = postmaster is not null ? null
            : server is null ? "This profile has no database."
            : "The database server is an external one: its processes are not in reach.";
        return new ResourceWatch(ProcessUsageWatch.Start(processes), isInProcess ? ConnectionPoolWatch.Start() : null, whyNot);
    }

    /// <summary>Ends watching.</summary>
    public async Task<ResourceObservation> StopAsync()
    {
        var pool = _pools is null ? null : await _pools.StopAsync();
        var report = await _processes.StopAsync();
        var generator = report.Processes.GetValueOrDefault(Generator);
        return new ResourceObservation
        {
            Duration = report.Duration,
            IsInProcess = _pools is not null,
            Generator = generator,
            Service = _pools is not null ? generator : report.Processes.GetValueOrDefault(Service),
            Database = report.Processes.GetValueOrDefault(Database),
            MachineCpuSeconds = report.MachineCpuSeconds,
            Pool = pool,
            WhyNoDatabase = _whyNoDatabase,
            Notes = report.Notes,
        };
    }

    public async ValueTask DisposeAsync()
    {
        if (_pools is not null)
        {
            await _pools.DisposeAsync();
        }

        await _processes.DisposeAsync();
    }
}
