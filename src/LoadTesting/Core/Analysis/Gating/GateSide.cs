namespace LoadTesting.Core.Analysis.Gating;

/// <summary>The figures of one run of a scenario that a gate judges.</summary>
public sealed record GateSide
{
    internal const string FailedRuns = "failedRuns";

    internal const string FailedCommands = "failedCommands";

    /// <summary>Operations that were asked for.</summary>
    public required long Operations { get; init; }

    /// <summary>Samples of latency.</summary>
    public required long N { get; init; }

    /// <summary>Completed operations per second; null when not known.</summary>
    public double? ThroughputPerSecond { get; init; }

    /// <summary>Median latency, milliseconds; null without samples.</summary>
    public double? P50Ms { get; init; }

    /// <summary>95th percentile, milliseconds; null without samples.</summary>
    public double? P95Ms { get; init; }

    /// <summary>99th percentile, milliseconds; null without samples.</summary>
    public double? P99Ms { get; init; }

    /// <summary>
    /// Processor time of the service, milliseconds per operation; in process of the one process that holds generator
    /// and service. Null where it was not recorded.
    /// </summary>
    public double? ServiceCpuMs { get; init; }

    /// <summary>Processor time of the database, milliseconds per operation; null where it was not recorded.</summary>
    public double? DatabaseCpuMs { get; init; }

    /// <summary>
    /// Managed memory that the service allocated, bytes per operation; in process the generator's too. Null where it
    /// was not recorded.
    /// </summary>
    public double? AllocatedBytes { get; init; }

    /// <summary>
    /// The limit that a search for the capacity found, operations per second; null of a scenario, and without a limit.
    /// </summary>
    public double? CapacityPerSecond { get; init; }

    /// <summary>The bracket of <see cref="CapacityPerSecond"/>; null with it.</summary>
    public IntervalResult? CapacityBracket { get; init; }

    /// <summary>Counted cost per operation; null where it was not counted.</summary>
    public IReadOnlyDictionary<string, double?> Counters { get; init; } = new Dictionary<string, double?>();

    /// <summary>What counted a counter, where it was not the usual source.</summary>
    public IReadOnlyDictionary<string, string> CounterSources { get; init; } = new Dictionary<string, string>();

    /// <summary>
    /// Operations that went wrong, by the ledger's name for it; <c>failedRuns</c>: 1 when the run's own verdict is
    /// failed; <c>failedCommands</c>: 1 when the command failed and no result says why.
    /// </summary>
    public IReadOnlyDictionary<string, long> Faults { get; init; } = new Dictionary<string, long>();

    /// <summary>Conflicts that the system resolved.</summary>
    public long Conflicts { get; init; }

    /// <summary>Takes the figures of a scenario, or of a search for the capacity.</summary>
    internal static GateSide Of(Measured measured) => Of(measured.Scenario) with
    {
        CapacityPerSecond = measured.Capacity?.LimitPerSecond,
        CapacityBracket = measured.Capacity?.Bracket,
    };

    /// <summary>Takes the figures of a result.</summary>
    public static GateSide Of(ScenarioResult scenario)
    {
        var service =
            scenario.Hosting == HostingKind.InProcess ? scenario.Resources?.Generator : scenario.Resources?.Service;
        return new GateSide
        {
            ServiceCpuMs = 1000 * service?.GetValueOrDefault(ResourcesResult.CpuSecondsPerOperation),
            DatabaseCpuMs =
                1000 * scenario.Resources?.Database.GetValueOrDefault(ResourcesResult.CpuSecondsPerOperation),
            AllocatedBytes = service?.GetValueOrDefault(ResourcesResult.AllocatedBytesPerOperation),
            Operations = scenario.Operations,
            N = scenario.Latency.N,
            ThroughputPerSecond = scenario.ThroughputPerSecond,
            P50Ms = scenario.Latency.P50Ms,
            P95Ms = scenario.Latency.P95Ms,
            P99Ms = scenario.Latency.P99Ms,
            Counters = scenario.Backend?.PerOperation ?? new Dictionary<string, double?>(),
            CounterSources = scenario.Backend?.Sources ?? new Dictionary<string, string>(),
            Faults = FaultsOf(scenario),
            Conflicts = scenario.Ledger?.RuntimeConflicts ?? 0,
        };
    }

    /// <summary>Whether the run's own verdict is failed.</summary>
    public bool HasFailed() => Faults.GetValueOrDefault(FailedRuns) > 0;

    private static Dictionary<string, long> FaultsOf(ScenarioResult scenario)
    {
        var faults =
            new Dictionary<string, long> { [FailedRuns] = scenario.Verdict.Outcome == VerdictOutcome.Failed ? 1 : 0 };
        if (scenario.Ledger is { } ledger)
        {
            faults["failed"] = ledger.Failed;
            faults["deadLettered"] = ledger.DeadLettered;
            faults["stuck"] = ledger.Stuck;
            faults["lost"] = ledger.Lost;
            faults["duplicate"] = ledger.Duplicate;
        }

        return faults;
    }
}
