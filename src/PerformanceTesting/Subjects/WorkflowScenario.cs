using Workflow.Abstractions.Exceptions;
using Workflow.Client;

namespace PerformanceTesting.Subjects;

/// <summary>
/// A scenario of the workflow service: its question, load and pass rule. It is measured on one service at a time, on
/// which
/// <see cref="AttachAsync"/> puts it. Names, operations, concurrency and signal workers of the published scenarios
/// never change: they are the comparison.
/// </summary>
public abstract class WorkflowScenario : MeasuredScenario
{
    private static readonly string[] EndingIdle = [PhaseNames.DrainToIdle, PhaseNames.SignalToCompletion];

    private WorkflowSubject? _subject;
    private IReadOnlyList<string> _definitionHashes = [];

    /// <summary>Name without the profile.</summary>
    public abstract string Name { get; }

    /// <summary>The question that the scenario answers.</summary>
    public abstract string Question { get; }

    /// <summary>Operations, if no <see cref="Duration"/> ends the load.</summary>
    public abstract int Operations { get; }

    /// <summary>Operations at a time.</summary>
    public abstract int Concurrency { get; }

    /// <summary>Processes of the web service that share the backend; more than one only over HTTP. Default 1.</summary>
    public virtual int Nodes => 1;

    /// <summary>
    /// What happens to the last of several <see cref="Nodes"/>, on purpose, when a third of <see cref="Duration"/> is
    /// over; after two thirds a new node joins. Default: nothing.
    /// </summary>
    public virtual NodeChange NodeChange => NodeChange.None;

    /// <summary>File names in <c>fixtures/definitions</c>, without extension.</summary>
    public virtual IReadOnlyList<string> Definitions => [];

    /// <summary>Signals that go to a receiver instead of an instance.</summary>
    public virtual IReadOnlyList<string> Receivers => [];

    /// <summary>The event that ends an operation.</summary>
    public abstract string CompletionEvent { get; }

    /// <summary>
    /// How long an instance waits in memory until it becomes dormant, on a backend whose store has dormant instances.
    /// Null (the default) for the engine's default.
    /// </summary>
    public virtual TimeSpan? IdleTime => null;

    /// <summary>Whether an operation is an instance; else it is a signal to a receiver.</summary>
    public virtual bool StartsInstances => true;

    /// <summary>How long after the publish the operation may complete at the earliest; zero for at once.</summary>
    public virtual TimeSpan DueAfter => TimeSpan.Zero;

    /// <summary>How long the load lasts. Null (the default) if the number of operations ends it.</summary>
    public virtual TimeSpan? Duration => null;

    /// <summary>
    /// The rate of an open load, which lasts for <see cref="Duration"/>. Null (the default) for a closed load, in which
    /// the next operation begins when one ends.
    /// </summary>
    public virtual int? RatePerSecond => null;

    /// <summary>
    /// Whether its users load the machine to its limit on purpose, over HTTP. Its latency is then that of a saturated
    /// machine: account, errors and stalls decide. Only where <see cref="Duration"/> ends the load. Default false.
    /// </summary>
    public virtual bool SaturatesByDesign => false;

    /// <summary>
    /// The name of several scenarios that run at the same time. Null (the default) for all of their names.
    /// </summary>
    public virtual string? Group => null;

    /// <summary>When the service is idle in the course of the load.</summary>
    public virtual BatchShape Shape => BatchShape.Together;

    /// <summary>
    /// How long an operation may take from its beginning, or from the moment it is due; then its completion is lost.
    /// Default 30 s.
    /// </summary>
    public virtual TimeSpan CompletionTimeout => TimeSpan.FromSeconds(30);

    /// <summary>Operations that warm up and are not counted. Default 32.</summary>
    public virtual int WarmUpOperations => 32;

    /// <summary>Operations at a time while warming up. Default: as in the load.</summary>
    public virtual int WarmUpConcurrency => Concurrency;

    /// <summary>Whether a step sends a request, and does not only wait for an event. Default: each does.</summary>
    public override bool IsRequest(string step) => true;

    /// <summary>
    /// The pass rule, beside an account that balances; default: nothing fails and nothing is dropped.
    /// </summary>
    public override IReadOnlyList<Threshold> Thresholds =>
        [Threshold.AtMost("failed", 0), Threshold.AtMost("dropped", 0)];

    /// <summary>Whether this is the full size, of thousands of operations.</summary>
    public virtual bool IsFullSize => false;

    /// <summary>
    /// Where a capacity is searched for, the rate that every supported machine must carry, per second; a baseline of
    /// the machine's class may ask for more. Default 50.
    /// </summary>
    public virtual double LeastCapacityPerSecond => 50;

    /// <summary>What a reader of the result should know about the load.</summary>
    public virtual IReadOnlyList<string> Remarks => [];

    /// <summary>Whether other processes load the service too, so that nothing waits until it is idle.</summary>
    internal bool IsPart { get; set; }

    /// <summary>The rest of <see cref="Duration"/>, if an earlier process began the load; null for all of it.</summary>
    internal TimeSpan? Remaining { get; set; }

    /// <summary>What a reader of the result should know about the backend.</summary>
    internal IReadOnlyList<string> BackendRemarks { get; set; } = [];

    public override string FullName => NameOf(Name, Subject.Profile, Subject.Hosting, Subject.Transport);

    public override string? GroupName =>
        Group is { } group ? NameOf(group, Subject.Profile, Subject.Hosting, Subject.Transport) : null;

    public override string Profile => Subject.Profile;

    public override string? Transport => Subject.Transport;

    public override int LoadOperations => Duration is null ? Operations : 0;

    public override int? LoadConcurrency => RatePerSecond is null ? Concurrency : null;

    public override string? PlannedChange => NodeChange switch
    {
        NodeChange.None => null,
        NodeChange.Killed => "a node is killed",
        _ => "a node is drained",
    };

    public override IReadOnlyList<LoadSimulation> Load
    {
        get
        {
            if ((Remaining ?? Duration) is not { } duration)
            {
                return Iterations(Concurrency, Operations);
            }

            return RatePerSecond is { } rate
                ? [Simulation.Inject(rate, TimeSpan.FromSeconds(1), duration)]
                : [.. Ramp(), Simulation.KeepConstant(Concurrency, duration)];
        }
    }

    public override IReadOnlyList<LoadSimulation> WarmUp =>
        WarmUpOperations == 0 ? [] : Iterations(WarmUpConcurrency, WarmUpOperations);

    /// <summary>
    /// In the system's own process, the generator is judged by its lateness alone; over HTTP also by the wait for a
    /// thread, if there are enough operations for a tail.
    /// </summary>
    public override LoadOptions Options => new()
    {
        CompletionTimeout = CompletionTimeout,
        ConsumerWork = Subject.ConsumerWork,
        HealthLimits = Subject.Hosting == HostingKind.InProcess
            ? GeneratorHealthLimits.ForSystemInSameProcess
            : new GeneratorHealthLimits { MinimumSamplesInTail = 10 },
    };

    public override string ContentHash => LoadTesting.Core.Results.ContentHash.Of([Name, .. _definitionHashes]);

    public override IReadOnlyList<string> MeasuredPhases => IsPart ? [.. Phases.Except(EndingIdle)] : Phases;

    /// <summary>A second at full size and in a soak; after a short run the next one is set up meanwhile.</summary>
    public override TimeSpan ListeningTime =>
        IsFullSize || Tier == TierNames.Soak ? TimeSpan.FromSeconds(1) : TimeSpan.Zero;

    public override IReadOnlyList<string> Notes =>
    [
        Question,
        $"Warmed up with {Quantity.Of(WarmUpOperations, "uncounted operation")}"
            + (IsFullSize && WarmUpOperations > 0
                ? ", again and again until the just-in-time compiler took at most 5 % of each process's time." : "."),
        .. Remarks,
        .. Shape == BatchShape.Continuous
            ? ["Operations follow one another without an idle moment between them, so signalToCompletion, which ends "
                + "with one, is not measured."]
            : Array.Empty<string>(),
        .. BackendRemarks,
        Subject.Hosting == HostingKind.Http
            ? "Over HTTP, idleness is asked for every 5 ms: signalToCompletion and drainToIdle are known to within that and a request."
            : "Generator, engine and consumers share one process: processor time and thread pool are theirs together.",
    ];

    private WorkflowSubject Subject => _subject
        ?? throw new InvalidOperationException($"{Name} is not on a service yet: call {nameof(AttachAsync)} first.");

    /// <summary>Puts the scenario on a service that has started, and registers its definitions there.</summary>
    public async Task AttachAsync(WorkflowSubject subject, CancellationToken cancellationToken)
    {
        var hashes = new List<string>();
        foreach (var name in Definitions)
        {
            var definition = await File.ReadAllTextAsync(
                Checkout.Fixture("definitions", name + ".json"), cancellationToken);
            hashes.Add(await subject.RegisterAsync(definition, cancellationToken));
        }

        (_subject, _definitionHashes) = (subject, hashes);
    }

    /// <summary>One iteration.</summary>
    public abstract Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch, WorkflowSubject subject);

    public override Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch) =>
        RunAsync(context, batch, Subject);

    /// <summary>At full size until all is warm: else the first measurement of a process would look slow.</summary>
    public override Task WarmUpAsync(Func<Task> loadAsync) =>
        IsFullSize ? Subject.WarmUpAsync(loadAsync) : base.WarmUpAsync(loadAsync);

    public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
    {
        CompletionEvent = CompletionEvent,
        Size = operations,
        DueAfter = isWarmUp ? TimeSpan.Zero : DueAfter,
        Timeout = CompletionTimeout,
        Shape = Shape,
        WaitForIdleAsync = (_, cancellationToken) =>
            IsPart ? Task.FromResult(Stopwatch.GetTimestamp()) : Subject.WaitForIdleAsync(cancellationToken),
        IsRefusal = IsRefusal,
    };

    public override long SamplesOf(string phase, long operations) => phase switch
    {
        PhaseNames.DrainToIdle when Shape != BatchShape.EachAlone => 1,
        PhaseNames.Takeover => Subject.Observer.Takeover?.Lanes.Count ?? 1,
        _ => operations,
    };

    public override LatencyHistogram HistogramOf(
        string phase, ScenarioStats measured, OperationTally tally) => phase switch
    {
        PhaseNames.SignalToFirstCompletion => tally.SignalToFirstCompletion,
        PhaseNames.SignalToCompletion => tally.SignalToCompletion,
        PhaseNames.StartToCompletion => tally.Latency,
        PhaseNames.DueToCompletion => tally.DueToCompletion,
        PhaseNames.DrainToIdle => tally.DrainToIdle,
        PhaseNames.Takeover => Subject.Observer.Takeover?.Latency ?? new LatencyHistogram(),
        _ => base.HistogramOf(phase, measured, tally),
    };

    public override double? PhaseStartMs(string phase, OperationTally tally) => phase switch
    {
        PhaseNames.Start or PhaseNames.StartToCompletion => 0,
        PhaseNames.SignalPublish or PhaseNames.SignalToFirstCompletion or PhaseNames.SignalToCompletion =>
            tally.PublishedAfterMs,
        PhaseNames.DueToCompletion => tally.DueAfterMs,
        _ => null,
    };

    /// <summary>
    /// In a batch, the phases leave out what an operation waits for the others, and for its due time.
    /// </summary>
    public override double? ResponseSeconds(ScenarioResult result)
    {
        double? Mean(string phase) => result.Phases.GetValueOrDefault(phase)?.AverageMs / 1000;

        return Shape != BatchShape.Together
            ? base.ResponseSeconds(result)
            : Mean(PhaseNames.StartToCompletion) ?? Mean(PhaseNames.DueToCompletion)
                ?? (Mean(PhaseNames.Start) ?? 0) + Mean(PhaseNames.SignalToFirstCompletion)
                ?? base.ResponseSeconds(result);
    }

    private IEnumerable<LoadSimulation> Ramp() =>
        RampUp > TimeSpan.Zero ? [Simulation.RampingConstant(Concurrency, RampUp)] : [];

    /// <summary>
    /// Simulations follow one another: all operations' first iterations end before the first second one begins.
    /// </summary>
    private LoadSimulation[] Iterations(int concurrency, int operations) =>
        [.. Enumerable.Repeat(Simulation.IterationsForConstant(concurrency, operations), IterationsPerOperation)];

    private static bool IsRefusal(Exception error) => error switch
    {
        WorkflowApiException api => !api.OutcomeUnknown && (int)api.Status is >= 400 and < 500 or 503,
        StoreUnavailableException store => !store.OutcomeUnknown,
        WorkflowException => true,
        _ => false,
    };
}
