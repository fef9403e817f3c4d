using LoadTesting.Core.Analysis.Capacity;

namespace PerformanceTesting.Measurement;

internal sealed class SteppedScenario(MeasuredScenario scenario, LoadStep step) : MeasuredScenario
{
    public override string FullName => scenario.FullName;

    public override string Profile => scenario.Profile;

    public override string Tier => scenario.Tier;

    public override string? Transport => scenario.Transport;

    public override int LoadOperations => 0;

    public override int? SignalWorkers => scenario.SignalWorkers;

    public override IReadOnlyList<LoadSimulation> Load => [step.Load];

    public override IReadOnlyList<LoadSimulation> WarmUp => scenario.WarmUp;

    public override Task WarmUpAsync(Func<Task> loadAsync) => scenario.WarmUpAsync(loadAsync);

    /// <summary>
    /// In process, service and generator share a thread pool, and at some milliseconds of latency the wait for one of
    /// its threads is a quarter of it long before any limit. Below 10 ms lateness is therefore only part of the
    /// response time, which counts from the intended start, and so of p95.
    /// </summary>
    public override LoadOptions Options => scenario.Options.HealthLimits == GeneratorHealthLimits.ForSystemInSameProcess
        ? scenario.Options with { HealthLimits = scenario.Options.HealthLimits with { LagFloorMs = 10 } }
        : scenario.Options;

    public override string ContentHash => scenario.ContentHash;

    public override IReadOnlyList<string> Phases => scenario.Phases;

    public override TimeSpan ListeningTime => scenario.ListeningTime;

    public override IReadOnlyList<string> Notes => scenario.Notes;

    public override BatchOptions BatchOf(int operations, bool isWarmUp) => scenario.BatchOf(operations, isWarmUp);

    /// <summary>Operations of the warm-up are not the step's.</summary>
    public override Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch) =>
        ReferenceEquals(batch, Batch)
        ? step.RunAsync(context, counted => scenario.RunAsync(counted, batch))
        : scenario.RunAsync(context, batch);

    public override long SamplesOf(string phase, long operations) => scenario.SamplesOf(phase, operations);

    public override LatencyHistogram HistogramOf(string phase, ScenarioStats measured, OperationTally tally) =>
        scenario.HistogramOf(phase, measured, tally);

    public override double? PhaseStartMs(string phase, OperationTally tally) => scenario.PhaseStartMs(phase, tally);

    public override double? ResponseSeconds(ScenarioResult result) => scenario.ResponseSeconds(result);
}
