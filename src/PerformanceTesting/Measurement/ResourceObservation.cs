using LoadTesting.Core.Analysis.Findings;
using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Measurement;

/// <summary>What was seen of processes and pools while a load ran.</summary>
public sealed record ResourceObservation
{
    public required TimeSpan Duration { get; init; }

    /// <summary>Whether generator and service are one process.</summary>
    public required bool IsInProcess { get; init; }

    public ProcessUsage? Generator { get; init; }

    /// <summary>The service's process; the generator's in process.</summary>
    public ProcessUsage? Service { get; init; }

    public ProcessUsage? Database { get; init; }

    /// <summary>The database's container by the engine's own account; null where it runs in none.</summary>
    public (double CpuSeconds, long MemoryBytes)? DatabaseContainer { get; init; }

    public double? MachineCpuSeconds { get; init; }

    /// <summary>Managed memory that the service allocated, bytes; in process with the generator's. Null where it is not known.</summary>
    public double? AllocatedBytes { get; init; }

    /// <summary>The pool that was waited for longest; null when none was used, or the service is another process.</summary>
    public ConnectionPoolUse? Pool { get; init; }

    /// <summary>Processors that processes of others used on average; 0 where that is not known.</summary>
    public double OtherProcessors => Math.Max(0, (MachineCpuSeconds ?? 0) - OwnCpuSeconds) / Duration.TotalSeconds;

    /// <summary>Processor time of generator, service and database, seconds.</summary>
    internal double OwnCpuSeconds =>
        (Service?.CpuSeconds ?? 0) + (Database?.CpuSeconds ?? 0) + (IsInProcess ? 0 : Generator?.CpuSeconds ?? 0);

    public string? WhyNoDatabase { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>The processes as a result holds them.</summary>
    public ResourcesResult ToResult(long completed)
    {
        var (generator, service) = (Figures(Generator, completed), IsInProcess ? [] : Figures(Service, completed));
        if (AllocatedBytes is { } bytes && completed > 0)
        {
            (IsInProcess ? generator : service)[ResourcesResult.AllocatedBytesPerOperation] = bytes / completed;
        }

        return new() { Generator = generator, Service = service, Database = DatabaseFigures(completed) };
    }

    /// <summary>What the rules of findings go by.</summary>
    /// <param name="load">What the generator measured.</param>
    /// <param name="completed">Operations that completed.</param>
    /// <param name="responseSeconds">Mean response time of an operation; 0 or null when none completed.</param>
    /// <param name="server">What the backend counted; null where there is none.</param>
    /// <param name="queueWaitSeconds">The service's own mean queue wait; null when it is not reported.</param>
    public FindingInputs ToInputs(
        LoadResult load, long completed, double? responseSeconds, CollectedCounters? server, double? queueWaitSeconds)
    {
        var open = load.Scenarios.Where(scenario => scenario.Model == LoadModel.Open && scenario.ScheduleLag.Count > 0).ToArray();
        return new FindingInputs
        {
            Completed = completed,
            DurationSeconds = Duration.TotalSeconds,
            ResponseSeconds = responseSeconds > 0 ? responseSeconds : null,
            Cores = Environment.ProcessorCount,
            Service = Service,
            Database = Database,
            MachineCpuSeconds = MachineCpuSeconds,
            GeneratorCpuSeconds = IsInProcess ? 0 : Generator?.CpuSeconds ?? 0,
            Waits = server?.Sessions,
            WaitSamples = server?.Samples ?? 0,
            WalSyncSeconds = server?.LogFlushSeconds,
            Pool = Pool,
            QueueWaitSeconds = queueWaitSeconds,
            GcPauseShare = IsInProcess && double.IsFinite(load.Health.Process.GcPauseShare) ? load.Health.Process.GcPauseShare : null,
            ScheduleLagSeconds = open.Length > 0
                ? LatencyHistogram.MergeAll(open.Select(scenario => scenario.ScheduleLag)).AverageMs / 1000
                : null,
            GeneratorEvidence = [.. load.Health.Evidence.Select(evidence => evidence.Text)],
            NotMeasured = Reasons(),
        };
    }

    private Dictionary<string, string> Reasons()
    {
        var reasons = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var resource in (string[])
            [ResourceNames.DatabaseCpu, ResourceNames.WalFlush, ResourceNames.Locks, ResourceNames.Disk, ResourceNames.OtherWaits])
        {
            if (WhyNoDatabase is { } why)
            {
                reasons[resource] = why;
            }
        }

        reasons[ResourceNames.ConnectionPool] = IsInProcess
            ? "No pool was used."
            : "The service is another process, whose pools are not in reach.";
        if (!IsInProcess)
        {
            reasons[ResourceNames.GarbageCollection] = "The service is another process, whose pauses are not in reach.";
        }

        return reasons;
    }

    private Dictionary<string, double?> DatabaseFigures(long completed)
    {
        var figures = Figures(Database, completed);
        if (DatabaseContainer is { } container)
        {
            figures["containerCpuSeconds"] = container.CpuSeconds;
            figures["containerPeakMemoryBytes"] = container.MemoryBytes;
        }

        return figures;
    }

    private static Dictionary<string, double?> Figures(ProcessUsage? usage, long completed) => usage is null ? [] : new()
    {
        ["cpuSeconds"] = usage.CpuSeconds,
        [ResourcesResult.CpuSecondsPerOperation] = completed > 0 ? usage.CpuSeconds / completed : null,
        ["runDelaySeconds"] = usage.RunDelaySeconds,
        ["peakMemoryBytes"] = usage.PeakMemoryBytes,
    };
}

/// <summary>What an operation needs of each resource, from what was watched: busy time / completed operations.</summary>
public static class ResourceDemands
{
    /// <summary>
    /// Generator, service and database live on the same processors here, so these can be full while none of the processes is.
    /// </summary>
    private const string AllProcesses = "the machine's processors";

    // As for shares of waits: from fewer moments the busy share is a guess.
    private const int MinimumSamples = 30;

    public static IReadOnlyList<DemandResult> Of(ResourceObservation seen, CollectedCounters? counters, long completed)
    {
        var demands = new List<DemandResult>();
        Add(seen.IsInProcess ? "CPU of service and generator" : ResourceNames.ServiceCpu, seen.Service?.CpuSeconds,
            Environment.ProcessorCount);
        Add(ResourceNames.DatabaseCpu, seen.Database?.CpuSeconds, Environment.ProcessorCount);
        Add(AllProcesses, seen.OwnCpuSeconds, Environment.ProcessorCount);
        if (counters is { Sessions: { } sessions, Samples: >= MinimumSamples })
        {
            // One session flushes the log, and others wait for their turn: it is busy while there is any.
            var busy = sessions.Where(wait => wait.Resource == ResourceNames.WalFlush)
                .Select(wait => wait.ShareOfMoments).DefaultIfEmpty().Max();
            Add(ResourceNames.WalFlush, busy * seen.Duration.TotalSeconds, 1);
        }

        return demands;

        void Add(string resource, double? busySeconds, double servers)
        {
            if (busySeconds is > 0 && completed > 0)
            {
                demands.Add(new DemandResult(resource, busySeconds.Value / completed, servers));
            }
        }
    }
}
