namespace PerformanceTesting.Measurement;

/// <summary>
/// One scenario on a system that has started: its load, its body and how its operations become a result. The pipeline
/// makes an
/// <see cref="OperationBatch"/> for the warm-up and another for the load.
/// </summary>
public abstract class MeasuredScenario
{
    /// <summary>
    /// The full name, that of its result: <c>profile-scenario</c> with the suffixes of hosting and transport.
    /// </summary>
    public abstract string FullName { get; }

    /// <summary>The backend combination.</summary>
    public abstract string Profile { get; }

    /// <summary>Value of the trait <c>Category</c>.</summary>
    public abstract string Tier { get; }

    /// <summary>The transport of the events. Null (the default) for the usual one of the hosting.</summary>
    public virtual string? Transport => null;

    /// <summary>Operations that the load asks for; 0 if a duration ends the load.</summary>
    public abstract int LoadOperations { get; }

    /// <summary>Operations at a time; null in an open model.</summary>
    public virtual int? LoadConcurrency => null;

    /// <summary>Workers that the scenario asks for. Null (the default) if it does not ask for a number.</summary>
    public virtual int? SignalWorkers => null;

    /// <summary>
    /// Iterations of an operation. Default 1. With 2, the first iterations of all operations end before the first
    /// second one begins.
    /// </summary>
    public virtual int IterationsPerOperation => 1;

    /// <summary>How long the load rises before all of it is there. Default: zero.</summary>
    public virtual TimeSpan RampUp => TimeSpan.Zero;

    /// <summary>
    /// A deliberate change of the system in the middle of the load, in a few words. The run is then not searched for a
    /// steady part or a slowdown; account, thresholds and stalls are judged as usual. Null (the default) if there is
    /// none.
    /// </summary>
    public virtual string? PlannedChange => null;

    /// <summary>
    /// Whether a step is one request, which is counted if the system runs over HTTP. Default: no step is.
    /// </summary>
    public virtual bool IsRequest(string step) => false;

    /// <summary>
    /// The full name of the sum of simultaneous scenarios. Null (the default) for all of their names.
    /// </summary>
    public virtual string? GroupName => null;

    public abstract IReadOnlyList<LoadSimulation> Load { get; }

    /// <summary>Load before the measured one, not part of the result. Empty for none.</summary>
    public abstract IReadOnlyList<LoadSimulation> WarmUp { get; }

    /// <summary>
    /// Runs the load of <see cref="WarmUp"/> until the system is warm. Default: once. If scenarios warm up together,
    /// that of the first one is called.
    /// </summary>
    /// <param name="loadAsync">Runs the warm-up load of all scenarios once.</param>
    public virtual Task WarmUpAsync(Func<Task> loadAsync) => loadAsync();

    /// <summary>When the generator counts as the limit, and how long iterations may take.</summary>
    public abstract LoadOptions Options { get; }

    /// <summary>Hash of what is run: results compare only when it is equal.</summary>
    public abstract string ContentHash { get; }

    /// <summary>Phases that must have <see cref="SamplesOf"/> samples each.</summary>
    public abstract IReadOnlyList<string> Phases { get; }

    /// <summary>The <see cref="Phases"/> that are measured in this run. Default: all.</summary>
    public virtual IReadOnlyList<string> MeasuredPhases => Phases;

    /// <summary>Rules that the result is held to; none by default.</summary>
    public virtual IReadOnlyList<Threshold> Thresholds => [];

    /// <summary>
    /// The shortest time to listen for events after the system is idle, since a duplicate comes after its event.
    /// Default: zero.
    /// </summary>
    public virtual TimeSpan ListeningTime => TimeSpan.Zero;

    /// <summary>What a reader of the result should know.</summary>
    public abstract IReadOnlyList<string> Notes { get; }

    /// <summary>The batch of the load that runs now, or ran last; null before the measured load.</summary>
    public OperationBatch? Batch { get; internal set; }

    /// <summary>The full name of a scenario's result.</summary>
    public static string NameOf(string scenario, string profile, HostingKind hosting, string? transport) =>
        $"{profile}-{scenario}{(hosting == HostingKind.Http ? "-http" : "")}{(transport is null ? "" : $"-{transport}")}";

    /// <summary>Settings of a batch.</summary>
    /// <param name="operations">0 if a duration ends the load.</param>
    /// <param name="isWarmUp">Whether its operations are not part of the result.</param>
    public abstract BatchOptions BatchOf(int operations, bool isWarmUp);

    /// <summary>One iteration.</summary>
    public abstract Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch);

    /// <summary>Samples that a phase must have for a number of operations.</summary>
    public virtual long SamplesOf(string phase, long operations) => operations;

    /// <summary>The histogram of a phase; that of the step of the same name unless overridden.</summary>
    public virtual LatencyHistogram HistogramOf(string phase, ScenarioStats measured, OperationTally tally) =>
        measured.FindStep(phase)?.Ok.Service ?? new LatencyHistogram();

    /// <summary>
    /// The average start of a phase, milliseconds from the beginning of its operation. Null (the default) if that is
    /// not known.
    /// </summary>
    public virtual double? PhaseStartMs(string phase, OperationTally tally) => null;

    /// <summary>
    /// The system's own mean response time, seconds: what findings divide among resources. In a batch an operation also
    /// waits for the others, and a delayed signal for its time; neither is a resource's doing. Default: the mean
    /// latency.
    /// </summary>
    public virtual double? ResponseSeconds(ScenarioResult result) => result.Latency.AverageMs / 1000;
}
