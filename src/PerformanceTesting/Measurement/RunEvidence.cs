using LoadTesting.Core.Http.Streams;

namespace PerformanceTesting.Measurement;

/// <summary>
/// What the parts of a measurement know of one run: the instrument's figures, and a section from each observer. The
/// result is made from it once.
/// </summary>
public sealed class RunEvidence
{
    private const double MostOfOthers = 0.1;

    /// <summary>Lateness is not among them: in process the system itself makes the generator late.</summary>
    private static readonly string[] HostChecks = ["steal", "throttled", "generatorCpu", "gcPause"];

    /// <summary>
    /// The instrument's figures of the run, or of the sum of its scenarios. Its ledger is the client's: without events,
    /// and without the system's word on operations that did not complete.
    /// </summary>
    public required ScenarioResult Measured { get; init; }

    /// <summary>What the generator measured.</summary>
    public required LoadResult Load { get; init; }

    /// <summary>What the operations of all scenarios came to.</summary>
    public required IReadOnlyList<OperationTally> Tallies { get; init; }

    /// <summary>Operations that completed.</summary>
    public long Completed => Tallies.Sum(tally => tally.Completed);

    /// <summary>
    /// Mean response time of an operation, waiting for the other operations of its batch left out; null where none
    /// completed.
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
    /// What others took from the machine while it was measured, or that it became slower, a sentence each: it may
    /// explain why the system was slow.
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
                .. Load.Health.Evidence.Where(evidence => evidence.Signal == "jitter")
                    .Select(evidence => evidence.Text),
                .. others > MostOfOthers
                    ? [FormattableString.Invariant(
                        $"other processes used {100 * others:0} % of the processors, {100 * MostOfOthers:0} % are not looked at")]
                    : Array.Empty<string>(),
                .. SlowerMachine is { } slower
                    ? [$"the same work took longer and longer: {slower}"] : Array.Empty<string>(),
            ];
        }
    }

    /// <summary>
    /// Where the load saturates the machine by design, what its generator can do; null for every other load.
    /// </summary>
    public SaturationEvidence? Saturation { get; set; }

    /// <summary>Checks of the system and of the measurement.</summary>
    public List<CheckResult> Checks { get; } = [];

    /// <summary>
    /// The growth of the processor time for the same work over the run; null if it did not grow or was not watched.
    /// </summary>
    public string? SlowerMachine { get; set; }

    /// <summary>What the machine gave to others.</summary>
    public IReadOnlyList<CheckResult> Environment { get; set; } = [];

    /// <summary>The service's gauge beside the client; null where they cannot be compared.</summary>
    public LittlesLawResult? LittlesLaw { get; set; }

    /// <summary>What grew, or did not, over the run; null where nothing looked long enough.</summary>
    public IReadOnlyList<LeakResult>? Leaks { get; set; }

    /// <summary>Where operations ended that did not complete. Null (the default) if the system was not asked.</summary>
    public OperationEnds? Ends { get; set; }

    /// <summary>Deliveries to event streams. Null (the default) if operations are no publications.</summary>
    public FanOutCounts? Deliveries { get; set; }

    /// <summary>Section of the result; null (the default) if no server was counted.</summary>
    public BackendCounters? Backend { get; set; }

    /// <summary>Section of the result; null (the default) if no resource was watched.</summary>
    public FindingsResult? Findings { get; set; }

    /// <summary>Lanes that really ran. Null (the default) if the system has none.</summary>
    public int? Lanes { get; set; }

    /// <summary>The parts of a soak that was resumed. Null (the default) if it ran in one piece.</summary>
    public IReadOnlyList<SoakSegment>? Segments { get; set; }

    /// <summary>
    /// What the service must have counted for the part that this process drove. Null (the default) for a whole load.
    /// </summary>
    public IReadOnlyList<PartCount>? PartCounts { get; set; }

    /// <summary>Remarks of the observers, in their order.</summary>
    public List<string> Notes { get; } = [];

    /// <summary>The result of the run, without its verdict.</summary>
    /// <param name="steadyFrom">Where the run had settled; null if that is not known.</param>
    internal ScenarioResult ToResult(WarmUpResult? steadyFrom) => Measured with
    {
        Lanes = Lanes,
        Segments = Segments,
        Ledger = Ledger(),
        WarmUp = WarmUp?.Total(),
        Backend = Backend,
        Resources = Resources?.ToResult(Completed),
        Generator = Generator(),
        Findings = Findings,
        Validity = new ValidityResult
        {
            Checks = [.. Checks],
            Environment = Environment,
            LittlesLaw = LittlesLaw,
            WarmUp = steadyFrom,
            Leaks = Leaks,
        },
        Part = PartCounts is { } counts ? Measured.Part! with { Counts = counts } : Measured.Part,
        Notes = [.. Measured.Notes, .. Notes],
    };

    /// <summary>The client's account, closed with the events and with what the system says.</summary>
    private LedgerResult Ledger()
    {
        var client = Measured.Ledger!;
        return client with
        {
            Failed = Ends?.Failed ?? 0,
            Cancelled = Ends?.Cancelled ?? 0,
            DeadLettered = Ends?.DeadLettered ?? 0,
            Waiting = Ends?.Waiting ?? 0,
            Suspended = Ends?.Suspended ?? 0,
            Stuck = Ends is null ? client.Stuck : Math.Max(0, client.Started - client.Completed - Ends.All),
            RuntimeConflicts = Ends?.RuntimeConflicts ?? 0,

            // No completion is sent for an operation that came to another end, or has not ended yet.
            Lost = Math.Max(0, Events.Lost - (Ends?.All ?? 0)) + (Deliveries?.Lost ?? 0),
            Duplicate = Events.Duplicate + (Deliveries?.Doubled ?? 0),
            Late = Events.Late,
            Unmatched = Events.Unmatched + Events.Buffered,
            OutOfOrder = Events.OutOfOrder + (Deliveries?.OutOfOrder ?? 0),
            Untracked = Events.Untracked,
            Overflowed = Events.Overflowed,
        };
    }

    /// <summary>A load that saturates the machine by design is judged by what its generator can do.</summary>
    private GeneratorResult? Generator() => Saturation is { } saturation && Measured.Generator is { } generator
        ? generator with { Health = saturation.IsGeneratorBound ? GeneratorState.Bound : GeneratorState.Healthy }
        : Measured.Generator;
}
