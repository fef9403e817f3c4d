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

    /// <summary>
    /// Managed memory that the service allocated, bytes; in process with the generator's. Null where it is not known.
    /// </summary>
    public double? AllocatedBytes { get; init; }

    /// <summary>
    /// The pool that was waited for longest; null when none was used, or the service is another process.
    /// </summary>
    public ConnectionPoolUse? Pool { get; init; }

    /// <summary>Processors that processes of others used on average; 0 where that is not known.</summary>
    public double OtherProcessors => Math.Max(0, (MachineCpuSeconds ?? 0) - OwnCpuSeconds) / Duration.TotalSeconds;

    /// <summary>Processor time of generator, service and database, seconds.</summary>
    internal double OwnCpuSeconds =>
        (Service?.CpuSeconds ?? 0) + (Database?.CpuSeconds ?? 0) + (IsInProcess ? 0 : Generator?.CpuSeconds ?? 0);

    /// <summary>What was used from moment to moment, the first at the start.</summary>
    public IReadOnlyList<ResourceMoment> Moments { get; init; } = [];

    /// <summary>A moment by both clocks, so that times of the load can be found among <see cref="Moments"/>.</summary>
    public (DateTimeOffset Utc, long Ticks) Clock { get; init; } =
        (TimeProvider.System.GetUtcNow(), Stopwatch.GetTimestamp());

    /// <summary>Whether the system has no database, so that nothing can wait for one.</summary>
    public bool HasNoDatabase { get; init; }

    /// <summary>Whether operations end without an event, so that nothing waits for one.</summary>
    public bool HasNoEvents { get; init; }

    public string? DatabaseUnwatchedReason { get; init; }

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
        var open = load.Scenarios.Where(scenario => scenario.Model == LoadModel.Open && scenario.ScheduleLag.Count > 0)
            .ToArray();
        IReadOnlyList<StallResult> stalls = load.Scenarios is [var only] ? only.Stalls : [];
        return new FindingInputs
        {
            Completed = completed,
            DurationSeconds = load.Duration.TotalSeconds,
            ResponseSeconds = responseSeconds > 0 ? responseSeconds : null,
            IsOpen = load.Scenarios.All(scenario => scenario.Model == LoadModel.Open),
            Cores = Environment.ProcessorCount,
            Spans = Spans(load, stalls, server?.Looks),
            Stalls = stalls,
            Pool = Pool,
            QueueWaitSeconds = queueWaitSeconds,
            ScheduleLagSeconds = open.Length > 0
                ? LatencyHistogram.MergeAll(open.Select(scenario => scenario.ScheduleLag)).AverageMs / 1000
                : null,
            GeneratorEvidence = load.Health.Figures.Evidence,
            NotMeasured = Reasons(),
            Absent = AbsentOnes(),
        };
    }

    /// <summary>The pieces between the moments, while the load ran and did not stall.</summary>
    private List<FindingSpan> Spans(
        LoadResult load, IReadOnlyList<StallResult> stalls, IReadOnlyList<SessionLook>? looks)
    {
        var begin = Clock.Ticks + Ticks(load.StartedUtc - Clock.Utc);
        var end = begin + Ticks(load.Duration);
        var still = stalls.Select(stall => (
            From: begin + Ticks(TimeSpan.FromMilliseconds(stall.AtMs)),
            To: begin + Ticks(TimeSpan.FromMilliseconds(stall.AtMs + stall.DurationMs)))).ToList();
        var spans = new List<FindingSpan>();
        var next = 0;
        foreach (var (from, to) in Moments.Zip(Moments.Skip(1)))
        {
            var (since, until) = (from.Usage.At, to.Usage.At);
            var looked = new List<SessionLook>();
            for (; looks is not null && next < looks.Count && looks[next].At <= until; next++)
            {
                if (looks[next].At > since)
                {
                    looked.Add(looks[next]);
                }
            }

            var stood = still.Sum(stall => Math.Max(0, Math.Min(until, stall.To) - Math.Max(since, stall.From)));
            if (Math.Min(until, end) - Math.Max(since, begin) > (until - since) / 2 && stood <= (until - since) / 2)
            {
                spans.Add(Span(from, to, looks is null ? null : looked));
            }
        }

        return spans;

        static long Ticks(TimeSpan span) => (long)(span.TotalSeconds * Stopwatch.Frequency);
    }

    private FindingSpan Span(ResourceMoment from, ResourceMoment to, IReadOnlyList<SessionLook>? looks) => new()
    {
        Seconds = Stopwatch.GetElapsedTime(from.Usage.At, to.Usage.At).TotalSeconds,
        Service = Between(from.Service, to.Service),
        Database = Between(from.Database, to.Database),
        GeneratorCpuSeconds = IsInProcess ? 0 : Between(from.Generator, to.Generator)?.CpuSeconds ?? 0,
        MachineCpuSeconds = to.Usage.MachineCpuSeconds - from.Usage.MachineCpuSeconds,
        Looks = looks?.Count,
        Waits = (looks ?? []).SelectMany(look => look.Waits).GroupBy(wait => wait.Key, StringComparer.Ordinal)
            .ToDictionary(
            same => same.Key,
            same => new WaitSum(same.First().Value.Resource, same.Sum(wait => wait.Value.Sessions), same.LongCount()),
            StringComparer.Ordinal),
        Sums = to.Usage.Sums.Since(from.Usage.Sums),
    };

    private static ProcessUsage? Between(ProcessUsage? from, ProcessUsage? to) => from is null ? null : to?.Since(from);

    private Dictionary<string, string> Reasons()
    {
        var reasons = new Dictionary<string, string>(StringComparer.Ordinal);
        if (DatabaseUnwatchedReason is { } why && !HasNoDatabase)
        {
            foreach (var resource in DatabaseResources)
            {
                reasons[resource] = why;
            }
        }

        if (!IsInProcess)
        {
            reasons[ResourceNames.ConnectionPool] = "The service is another process, whose pools cannot be read.";
            reasons[ResourceNames.GarbageCollection] = "The service is another process, whose pauses cannot be read.";
            reasons[ResourceNames.Compilation] = "The service is another process, whose compiler cannot be read.";
        }

        return reasons;
    }

    private static readonly string[] DatabaseResources =
        [ResourceNames.DatabaseCpu, ResourceNames.WalFlush, ResourceNames.Locks, ResourceNames.Disk,
            ResourceNames.OtherWaits];

    private Dictionary<string, string> AbsentOnes()
    {
        var absent = new Dictionary<string, string>(StringComparer.Ordinal);
        if (HasNoDatabase)
        {
            foreach (var resource in DatabaseResources)
            {
                absent[resource] = DatabaseUnwatchedReason ?? "The system has no database.";
            }
        }

        if (HasNoEvents)
        {
            absent[ResourceNames.EventDelivery] =
                absent[ResourceNames.EventConsumer] = "Operations end without an event.";
            absent[ResourceNames.ServiceQueue] = "The service reports no queue.";
        }

        if (IsInProcess && Pool is null)
        {
            absent[ResourceNames.ConnectionPool] = "No pool was used.";
        }

        return absent;
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

    private static Dictionary<string, double?> Figures(ProcessUsage? usage, long completed) =>
        usage is null ? [] : new()
    {
        ["cpuSeconds"] = usage.CpuSeconds,
        [ResourcesResult.CpuSecondsPerOperation] = completed > 0 ? usage.CpuSeconds / completed : null,
        ["runDelaySeconds"] = usage.RunDelaySeconds,
        ["peakMemoryBytes"] = usage.PeakMemoryBytes,
    };
}
