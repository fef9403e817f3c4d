namespace PerformanceTesting.Measurement;

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

    /// <summary>Counters of the backend's servers; null if there are none.</summary>
    public CollectedCounters? Counters { get; set; }

    /// <summary>Use of processes and pools; null if it was not watched.</summary>
    public ResourceObservation? Resources { get; set; }

    /// <summary>What became of waits and events, as of the end of the measurement.</summary>
    public required EventAwaiterCounts Events { get; init; }

    /// <summary>The log of the warm-up; null if there is none.</summary>
    internal WarmUpLog? WarmUp { get; init; }

    /// <summary>Whether the transport promises the order of events.</summary>
    public bool EventsAreOrdered { get; init; }

    /// <summary>Why events may still be on their way; null if all came, or the transport does not tell.</summary>
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

    /// <summary>The growth of the processor time for the same work over the run; null if it did not grow or was not watched.</summary>
    public string? SlowerMachine { get; set; }

    /// <summary>What the machine gave to others.</summary>
    public IReadOnlyList<CheckResult> Environment { get; set; } = [];

    /// <summary>The service's gauge beside the client; null where they cannot be compared.</summary>
    public LittlesLawResult? LittlesLaw { get; set; }

    /// <summary>What grew, or did not, over the run; null where nothing looked long enough.</summary>
    public IReadOnlyList<LeakResult>? Leaks { get; set; }
}
