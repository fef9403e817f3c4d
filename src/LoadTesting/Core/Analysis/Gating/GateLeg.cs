using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>What one run of a scenario came to, as far as a gate looks at it.</summary>
public sealed record GateLeg
{
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

    /// <summary>Counted cost per operation; null where it was not counted.</summary>
    public IReadOnlyDictionary<string, double?> Counters { get; init; } = new Dictionary<string, double?>();

    /// <summary>What counted a counter, where it was not the usual source.</summary>
    public IReadOnlyDictionary<string, string> CounterSources { get; init; } = new Dictionary<string, string>();

    /// <summary>Operations that went wrong, by the ledger's name for it, and <c>failedRuns</c>: 1 when the run's own verdict is failed.</summary>
    public IReadOnlyDictionary<string, long> Faults { get; init; } = new Dictionary<string, long>();

    /// <summary>Conflicts that the system resolved by itself.</summary>
    public long Conflicts { get; init; }

    /// <summary>Takes the figures of a result.</summary>
    public static GateLeg Of(ScenarioResult scenario)
    {
        ArgumentNullException.ThrowIfNull(scenario);
        return new GateLeg
        {
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

    private static Dictionary<string, long> FaultsOf(ScenarioResult scenario)
    {
        var faults = new Dictionary<string, long> { ["failedRuns"] = scenario.Verdict.Outcome == VerdictOutcome.Failed ? 1 : 0 };
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
