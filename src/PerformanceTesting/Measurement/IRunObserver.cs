using LoadTesting.Core.Analysis.Validity;

namespace PerformanceTesting.Measurement;

/// <summary>
/// Watches one thing while a load runs (a server's counters, waits, processes, leaks, a broker, the host) and owns its section of the
/// result. Calls never overlap: <see cref="StartAsync"/>, <see cref="StopAsync"/>, <see cref="AddTo"/>, and disposal whatever happened
/// before.
/// </summary>
public interface IRunObserver : IAsyncDisposable
{
    /// <summary>Takes the first snapshot. Called in the order of the observers, after the warm-up and right before the load.</summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Takes the second snapshot. Called in reverse order, once the system is idle after the load: what starts last sees least of the
    /// others.
    /// </summary>
    Task StopAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Adds its section to the result of the run, or of the sum of its scenarios. What others judge by, it puts into the evidence;
    /// observers before it have done so.
    /// </summary>
    ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence);
}

/// <summary>Looks at a load while it runs, and may end it; an observer that is one is asked once each interval.</summary>
public interface ILoadWatcher
{
    /// <summary>How often it looks: whole seconds, at least 1. The shortest of all watchers is that of each.</summary>
    TimeSpan Every { get; }

    /// <summary>Called in turn, on a thread of the run, which it must not hold up.</summary>
    /// <returns>Why the load is to end before its time; null, and it goes on.</returns>
    string? Look(LoadInterval interval);
}

/// <summary>When resources are judged that must not grow.</summary>
public sealed record LeakRules
{
    /// <summary>A soak shorter than this has no slopes: pools, caches and the heap still fill. Default 10 minutes.</summary>
    public TimeSpan Shortest { get; init; } = LeakTest.ShortestSoak;

    /// <summary>Between two looks while it runs. Default 5 s.</summary>
    public TimeSpan Every { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Between two readings. Default 1 s.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Growth of memory that is never held against it, bytes. Default 16 MiB.</summary>
    public double MemoryFloorBytes { get; init; } = 16 << 20;

    /// <summary>Growth of open handles that is never held against it. Default 16.</summary>
    public double HandleFloor { get; init; } = 16;
}

/// <summary>What the parts of a measurement know of one run, for the parts that judge it.</summary>
public sealed class RunEvidence
{
    private const double MostOfOthers = 0.1;

    /// <summary>Lateness is not among them: in process the system itself makes the generator late.</summary>
    private static readonly string[] HostChecks = ["steal", "throttled", "generatorCpu", "gcPause"];

    /// <summary>What the generator measured.</summary>
    public required LoadResult Load { get; init; }

    /// <summary>What the operations of all scenarios came to.</summary>
    public required IReadOnlyList<OperationTally> Tallies { get; init; }

    /// <summary>Operations that completed.</summary>
    public long Completed => Tallies.Sum(tally => tally.Completed);

    /// <summary>
    /// Mean response time of an operation, waiting for the other operations of its batch left out; null where none completed.
    /// </summary>
    public double? ResponseSeconds { get; init; }

    /// <summary>What the backend's servers counted; null where nothing counts.</summary>
    public CollectedCounters? Counters { get; set; }

    /// <summary>What was seen of processes and pools; null where nothing looked.</summary>
    public ResourceObservation? Resources { get; set; }

    /// <summary>What became of waits and events, as of the end of the measurement.</summary>
    public required EventAwaiterCounts Events { get; init; }

    /// <summary>Whether the transport promises the order of events.</summary>
    public bool EventsAreOrdered { get; init; }

    /// <summary>Why events may still be on their way; null where the last one is known to have come, or nothing says so.</summary>
    public string? MissingEvents { get; init; }

    /// <summary>
    /// What others took from the machine while it was measured, or that it became slower, a sentence each: it may explain why the system
    /// was slow.
    /// </summary>
    public IReadOnlyList<string> Host
    {
        get
        {
            var others = (Resources?.OtherProcessors ?? 0) / System.Environment.ProcessorCount;
            return
            [
                .. Environment.Where(check => check.Outcome == CheckOutcome.Failed && HostChecks.Contains(check.Name))
                    .Select(check => $"{check.Name}: {check.Reason}"),
                .. Load.Health.Evidence.Where(evidence => evidence.Signal == "jitter").Select(evidence => evidence.Text),
                .. others > MostOfOthers
                    ? [FormattableString.Invariant(
                        $"other processes used {100 * others:0} % of the processors, {100 * MostOfOthers:0} % are not looked at")]
                    : Array.Empty<string>(),
                .. SlowerMachine is { } slower ? [$"the same work took longer and longer: {slower}"] : Array.Empty<string>(),
            ];
        }
    }

    /// <summary>Where the load saturates the machine by design, what its generator can do; null for every other load.</summary>
    public SaturationEvidence? Saturation { get; set; }

    /// <summary>Checks of the system and of the measurement.</summary>
    public List<CheckResult> Checks { get; } = [];

    /// <summary>By what the same work took more of the processors from beginning to end; null where it did not, or nobody looked.</summary>
    public string? SlowerMachine { get; set; }

    /// <summary>What the machine gave to others.</summary>
    public IReadOnlyList<CheckResult> Environment { get; set; } = [];

    /// <summary>The service's gauge beside the client; null where they cannot be compared.</summary>
    public LittlesLawResult? LittlesLaw { get; set; }

    /// <summary>What grew, or did not, over the run; null where nothing looked long enough.</summary>
    public IReadOnlyList<LeakResult>? Leaks { get; set; }
}
