using LoadTesting.Core.Analysis.Capacity;

namespace PerformanceTests.Calibration;

/// <summary>A target in this process, new for each load step.</summary>
internal sealed class LoadStepTarget(Func<Func<IScenarioContext, Task<IResponse>>> begin, GeneratorHealthLimits limits) : ICapacityTarget
{
    private static readonly TimeSpan WarmUp = TimeSpan.FromMilliseconds(300);

    public Task<LoadStepResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Keep(concurrency, WarmUp, window), cancellationToken);

    public Task<LoadStepResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Offer(ratePerSecond, WarmUp, window), cancellationToken);

    private Task<LoadStepResult> MeasureAsync(LoadStep step, CancellationToken cancellationToken) =>
        step.MeasureAsync("calibration", begin(), new LoadOptions { HealthLimits = limits }, cancellationToken);
}
