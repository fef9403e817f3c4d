using System.Runtime;
using LoadTesting.Core.Analysis.Findings;
using LoadTesting.Core.Load.Watches;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Subjects;

/// <summary>
/// Watches the processes of generator, service and database, and the connection pools of this one; with the server's
/// waits they make the findings. Place it last among the observers: it starts right before the load, and what it judges
/// by has been added by the others.
/// </summary>
/// <param name="serviceProcessIds">The processes of the system under test; this one when it is in process.</param>
/// <param name="server">The backend's server; null if there is none.</param>
/// <param name="allocatedBytes">
/// Asks a service in another process what it has allocated; null where that is not known.
/// </param>
/// <param name="serviceProcessIdsNow">
/// The processes at any moment, where they come and go; null where they stay the same.
/// </param>
/// <param name="events">
/// What the consumer of events has seen; null where it does not know the service's own times.
/// </param>
public sealed class ResourceObserver(
    IReadOnlyList<int> serviceProcessIds, BackendServer? server,
    Func<CancellationToken, Task<double?>>? allocatedBytes = null,
    Func<IReadOnlyList<int>>? serviceProcessIdsNow = null, Func<SystemSums>? events = null)
    : IRunObserver, ITimelineSource
{
    private const string Generator = "generator";
    private const string Service = "service";
    private const string Database = "database";

    private readonly bool _isInProcess = serviceProcessIds.Contains(Environment.ProcessId);
    private readonly ProcessTimeline _timeline = new(database: server?.Host.ProcessId)
    {
        Services = serviceProcessIds.Contains(Environment.ProcessId)
            ? () => []
            : serviceProcessIdsNow ?? (() => serviceProcessIds),
    };

    private ProcessUsageWatch? _processes;
    private ConnectionPoolWatch? _pools;
    private (DateTimeOffset Utc, long Ticks) _clock;
    private ContainerWatch? _container;
    private ResourceObservation? _seen;
    private double? _allocated;

    /// <summary>Whether operations end without an event, so that no finding looks for one. Default false.</summary>
    public bool HasNoEvents { get; init; }

    public ResourceObservation Seen => _seen ?? throw new InvalidOperationException("The load is not over.");

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _allocated = await AllocatedAsync(cancellationToken);
        var processes = new List<WatchedProcess> { new(Generator, Environment.ProcessId) };
        if (!_isInProcess)
        {
            processes.AddRange(serviceProcessIds.Select((id, node) => new WatchedProcess(NameOf(node), id)));
        }

        if (server?.Host.ProcessId is { } id)
        {
            processes.Add(new(Database, id, WithChildren: true));
        }

        _container = server?.Host.Container is { } running ? ContainerWatch.Start(running) : null;
        _pools = _isInProcess ? ConnectionPoolWatch.Start() : null;
        _clock = (TimeProvider.System.GetUtcNow(), Stopwatch.GetTimestamp());
        _processes = ProcessUsageWatch.Start(processes, Sums);
    }

    private SystemSums Sums() => (events?.Invoke() ?? new SystemSums()) with
    {
        PoolWaitSeconds = _pools?.WaitSeconds(),
        GcPauseSeconds = _isInProcess ? GC.GetTotalPauseDuration().TotalSeconds : null,
        CompilationSeconds = _isInProcess ? JitInfo.GetCompilationTime(currentThread: false).TotalSeconds : null,
    };

    public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) =>
        _timeline.ReadAsync(cancellationToken);

    private static string NameOf(int node) => node == 0 ? Service : $"{Service} {node + 1}";

    /// <summary>
    /// What all processes of the service used together, their peaks of memory added up; null if one of them could not
    /// be seen.
    /// </summary>
    private ProcessUsage? SumOfServices(IReadOnlyDictionary<string, ProcessUsage> processes)
    {
        ProcessUsage?[] services =
            [.. serviceProcessIds.Select((_, node) => processes.GetValueOrDefault(NameOf(node)))];
        return services.Contains(null) ? null : services.Aggregate((all, one) => all!.Plus(one!));
    }

    private async Task<double?> AllocatedAsync(CancellationToken cancellationToken) =>
        _isInProcess ? GC.GetTotalAllocatedBytes(precise: true)
        : allocatedBytes is null ? null
        : await allocatedBytes(cancellationToken);

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        var pool = _pools is null ? null : await _pools.StopAsync();
        var report = await _processes!.StopAsync();
        var (container, problem) = _container is null ? (null, null) : await _container.StopAsync();
        var generator = report.Processes.GetValueOrDefault(Generator);
        _seen = new ResourceObservation
        {
            Duration = report.Duration,
            IsInProcess = _isInProcess,
            Generator = generator,
            Service = _isInProcess ? generator : SumOfServices(report.Processes),
            Database = report.Processes.GetValueOrDefault(Database) ?? (container is null
                ? null
                : new ProcessUsage(container.CpuSeconds, RunDelaySeconds: null, container.MemoryBytes)),
            DatabaseContainer = container is null ? null : (container.CpuSeconds, container.MemoryBytes),
            MachineCpuSeconds = report.MachineCpuSeconds,
            AllocatedBytes = await AllocatedAsync(cancellationToken) - _allocated,
            Pool = pool,
            Moments = [.. report.Moments.Select(Of)],
            Clock = _clock,
            HasNoDatabase = server is null,
            HasNoEvents = HasNoEvents,
            DatabaseUnwatchedReason = server switch
            {
                null => "This profile has no database.",
                { Host.Provision: ProvisionMode.External } =>
                    "The database server is an external one: its processes are not in reach.",
                _ => null,
            },
            Notes = problem is null
                ? report.Notes
                : [.. report.Notes, $"Null: container figures of the database: {problem}."],
        };
    }

    private ResourceMoment Of(UsageMoment moment)
    {
        var generator = moment.Processes.GetValueOrDefault(Generator);
        return new ResourceMoment(
            moment,
            _isInProcess ? generator : SumOfServices(moment.Processes),
            _isInProcess ? null : generator, moment.Processes.GetValueOrDefault(Database));
    }

    public void AddTo(RunEvidence evidence)
    {
        evidence.Resources = Seen;
        var queueWait = evidence.Measured.ServerSplit?.GetValueOrDefault("queueWait")?.AverageMs / 1000;
        evidence.Findings = FindingRules.Judge(
            Seen.ToInputs(evidence.Load, evidence.Completed, evidence.ResponseSeconds, evidence.Counters, queueWait));
        evidence.Notes.AddRange(Seen.Notes);
    }

    public async ValueTask DisposeAsync()
    {
        await (_container?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_processes?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_pools?.DisposeAsync() ?? ValueTask.CompletedTask);
    }
}
