using Workflow.Abstractions.Exceptions;
using Workflow.Client;

namespace PerformanceTesting.Subjects;

/// <summary>A workflow scenario on a service that has started and knows its definitions.</summary>
/// <param name="scenario">What runs.</param>
/// <param name="subject">The service.</param>
/// <param name="contents">Content hashes of its definitions.</param>
/// <param name="remarks">What else a reader of the result should know, of the backend.</param>
public sealed class MeasuredWorkflow(
    WorkflowScenario scenario, WorkflowSubject subject, IReadOnlyList<string> contents, IReadOnlyList<string> remarks) : MeasuredScenario
{
    private static readonly string[] EndingIdle = [PhaseNames.DrainToIdle, PhaseNames.SignalToCompletion];

    public WorkflowScenario Scenario => scenario;

    /// <summary>Whether others load the service too, so that it is not waited for to be idle. Default false.</summary>
    public bool IsPart { get; init; }

    public override string FullName { get; } = NameOf(scenario.Name, subject.Profile, subject.Hosting, subject.Transport);

    public override string? GroupName { get; } =
        scenario.Group is { } group ? NameOf(group, subject.Profile, subject.Hosting, subject.Transport) : null;

    public override string Profile => subject.Profile;

    public override string Tier => scenario.Tier;

    public override string? Transport => subject.Transport;

    public override int Operations => scenario.Duration is null ? scenario.Operations : 0;

    public override int? Concurrency => scenario.RatePerSecond is null ? scenario.Concurrency : null;

    public override int? SignalWorkers => scenario.SignalWorkers;

    public override int IterationsPerOperation => scenario.IterationsPerOperation;

    public override TimeSpan RampUp => scenario.RampUp;

    public override bool IsRequest(string step) => subject.Hosting == HostingKind.Http && scenario.IsRequest(step);

    public override string? PlannedChange => scenario.NodeChange switch
    {
        NodeChange.None => null,
        NodeChange.Killed => "a node is killed",
        _ => "a node is drained",
    };

    /// <summary>What is left of the scenario's duration; null where all of it is.</summary>
    public TimeSpan? Remaining { get; init; }

    public override IReadOnlyList<LoadSimulation> Load =>
        (Remaining ?? scenario.Duration) is { } duration
            ? scenario.RatePerSecond is { } rate
                ? [Simulation.Inject(rate, TimeSpan.FromSeconds(1), duration)]
                : [.. Ramp(), Simulation.KeepConstant(scenario.Concurrency, duration)]
            : Iterations(scenario.Concurrency, scenario.Operations);

    public override IReadOnlyList<LoadSimulation> WarmUp =>
        scenario.WarmUpOperations == 0 ? [] : Iterations(scenario.WarmUpConcurrency, scenario.WarmUpOperations);

    /// <summary>At full size until all is warm: else who is measured first in a process would look slow.</summary>
    public override Task WarmUpAsync(Func<Task> loadAsync) =>
        scenario.IsFullSize ? subject.WarmUpAsync(loadAsync) : base.WarmUpAsync(loadAsync);

    /// <summary>
    /// In the system's own process, the generator is judged by its lateness alone; over HTTP also by what work waits for a thread, where
    /// there are operations enough to have a tail.
    /// </summary>
    public override LoadOptions Options => new()
    {
        CompletionTimeout = scenario.CompletionTimeout,
        ConsumerWork = subject.ConsumerWork,
        HealthLimits = subject.Hosting == HostingKind.InProcess
            ? GeneratorHealthLimits.ForSystemInSameProcess
            : new GeneratorHealthLimits { MinimumSamplesInTail = 10 },
    };

    public override string ContentHash { get; } = LoadTesting.Core.Results.ContentHash.Of([scenario.Name, .. contents]);

    public override IReadOnlyList<string> Phases => !IsPart ? scenario.Phases : [.. scenario.Phases.Except(EndingIdle)];

    public override IReadOnlyList<Threshold> Thresholds => scenario.Thresholds;

    /// <summary>A second at full size and in a soak; a short run is listened to while the next one is set up.</summary>
    public override TimeSpan ListensOnFor =>
        scenario.IsFullSize || scenario.Tier == TierNames.Soak ? TimeSpan.FromSeconds(1) : TimeSpan.Zero;

    public override IReadOnlyList<string> Notes =>
    [
        scenario.Question,
        $"Warmed up with {scenario.WarmUpOperations} operations that are not part of the result"
            + (scenario is { IsFullSize: true, WarmUpOperations: > 0 }
                ? ", again and again until the just-in-time compiler took at most 5 % of each process's time." : "."),
        .. scenario.Remarks,
        .. scenario.Shape == BatchShape.Continuous
            ? ["Operations follow one another without an idle moment between them, so signalToCompletion, which ends with one, "
                + "is not measured."]
            : Array.Empty<string>(),
        .. remarks,
        subject.Hosting == HostingKind.Http
            ? "Over HTTP, idleness is asked for every 5 ms: signalToCompletion and drainToIdle are known to within that and a request."
            : "Generator, engine and consumers share one process: processor time and thread pool are theirs together.",
    ];

    /// <summary>The full name of a scenario's result.</summary>
    public static string NameOf(string scenario, string profile, HostingKind hosting, string? transport) =>
        $"{profile}-{scenario}{(hosting == HostingKind.Http ? "-http" : "")}{(transport is null ? "" : $"-{transport}")}";

    public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
    {
        CompletionEvent = scenario.CompletionEvent,
        Size = operations,
        DueAfter = isWarmUp ? TimeSpan.Zero : scenario.DueAfter,
        Timeout = scenario.CompletionTimeout,
        Shape = scenario.Shape,
        WaitForIdleAsync = (_, cancellationToken) =>
            IsPart ? Task.FromResult(Stopwatch.GetTimestamp()) : subject.WaitForIdleAsync(cancellationToken),
        IsRefusal = IsRefusal,
    };

    public override Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch) => scenario.RunAsync(context, batch, subject);

    public override long SamplesOf(string phase, long operations) => phase switch
    {
        PhaseNames.DrainToIdle when scenario.Shape != BatchShape.EachAlone => 1,
        PhaseNames.Takeover => subject.Observer.Takeover?.Lanes.Count ?? 1,
        _ => operations,
    };

    public override LatencyHistogram HistogramOf(string phase, ScenarioStats measured, OperationTally tally)
    {
        return phase switch
        {
            PhaseNames.SignalToFirstCompletion => tally.SignalToFirstCompletion,
            PhaseNames.SignalToCompletion => tally.SignalToCompletion,
            PhaseNames.StartToCompletion => tally.Latency,
            PhaseNames.DueToCompletion => tally.DueToCompletion,
            PhaseNames.DrainToIdle => tally.DrainToIdle,
            PhaseNames.Takeover => subject.Observer.Takeover?.Latency ?? new LatencyHistogram(),
            _ => base.HistogramOf(phase, measured, tally),
        };
    }

    public override double? PhaseStartMs(string phase, OperationTally tally)
    {
        return phase switch
        {
            PhaseNames.Start or PhaseNames.StartToCompletion => 0,
            PhaseNames.SignalPublish or PhaseNames.SignalToFirstCompletion or PhaseNames.SignalToCompletion => tally.PublishedAfterMs,
            PhaseNames.DueToCompletion => tally.DueAfterMs,
            _ => null,
        };
    }

    /// <summary>In a batch, the phases leave out what an operation waits for the others, and for its due time.</summary>
    public override double? ResponseSeconds(ScenarioResult result)
    {
        double? Mean(string phase) => result.Phases.GetValueOrDefault(phase)?.AverageMs / 1000;

        return scenario.Shape != BatchShape.Together
            ? base.ResponseSeconds(result)
            : Mean(PhaseNames.StartToCompletion) ?? Mean(PhaseNames.DueToCompletion)
                ?? (Mean(PhaseNames.Start) ?? 0) + Mean(PhaseNames.SignalToFirstCompletion) ?? base.ResponseSeconds(result);
    }

    private IEnumerable<LoadSimulation> Ramp() =>
        scenario.RampUp > TimeSpan.Zero ? [Simulation.RampingConstant(scenario.Concurrency, scenario.RampUp)] : [];

    /// <summary>Simulations follow one another: all operations' first iterations end before the first second one begins.</summary>
    private LoadSimulation[] Iterations(int concurrency, int operations) =>
        [.. Enumerable.Repeat(Simulation.IterationsForConstant(concurrency, operations), scenario.IterationsPerOperation)];

    private static bool IsRefusal(Exception error) => error switch
    {
        WorkflowApiException api => !api.OutcomeUnknown && (int)api.Status is >= 400 and < 500 or 503,
        StoreUnavailableException store => !store.OutcomeUnknown,
        WorkflowException => true,
        _ => false,
    };
}
