using LoadTesting.Core.Analysis.Capacity;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;

namespace PerformanceTests.Calibration;

/// <summary>A target in this process, new for each rung.</summary>
internal sealed class RungTarget(Func<Func<IScenarioContext, Task<IResponse>>> begin, GeneratorHealthLimits limits) : ICapacityTarget
{
    public Task<RungResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken) =>
        Load().KeepAsync(concurrency, window, cancellationToken);

    public Task<RungResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken) =>
        Load().OfferAsync(ratePerSecond, window, cancellationToken);

    private RungLoad Load() => new("calibration", begin(), TimeSpan.FromMilliseconds(300), new LoadOptions { HealthLimits = limits });
}
