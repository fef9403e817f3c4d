using LoadTesting.Core.Analysis.Capacity;

namespace UnitTests.LoadTesting.Samples;

/// <summary>A queue by formula: it carries any load up to its capacity, then falls behind. No time passes.</summary>
internal sealed class ModelTarget(double capacityPerSecond) : ICapacityTarget
{
    private const double ServiceMs = 5;

    /// <summary>Offered rates and closed load steps, in the order of measuring.</summary>
    public List<double> Offered { get; } = [];

    public List<int> Kept { get; } = [];

    /// <summary>From this rate on the generator is bound.</summary>
    public double GeneratorCapacity { get; init; } = double.PositiveInfinity;

    /// <summary>Numbers of the open measurements, from 1, that a disturbance spoils.</summary>
    public int[] Disturbed { get; init; } = [];

    /// <summary>Whether the measurement of a rate of this number, from 1, shows a system without limit.</summary>
    public Func<int, bool> IsLucky { get; init; } = _ => false;

    /// <summary>How fast what had begun piled up where the generator is bound, per second.</summary>
    public double BegunGrowth { get; init; }

    public IReadOnlyList<DemandResult> Demands { get; init; } = [];
    public IReadOnlyList<WaitResult> Waits { get; init; } = [];

    public Task<LoadStepResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken)
    {
        Kept.Add(concurrency);
        var throughput = Math.Min(capacityPerSecond, concurrency * 1000 / ServiceMs);
        return Task.FromResult(
            StepOf(concurrency, throughput, window, throughput > 0 ? concurrency * 1000 / throughput : 0));
    }

    public Task<LoadStepResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken)
    {
        Offered.Add(ratePerSecond);
        var isDisturbed = Disturbed.Contains(Offered.Count);
        var capacity = IsLucky(Offered.Count(rate => rate == ratePerSecond)) ? 1e9 : capacityPerSecond;
        var throughput = Math.Min(ratePerSecond, capacity) * (isDisturbed ? 0.5 : 1);
        var load = ratePerSecond / capacity;
        var latency = ServiceMs * (load > 1 ? 20 : 1 + (0.6 * Math.Pow(load, 6)));
        return Task.FromResult(StepOf(throughput * latency / 1000, throughput, window, latency) with
        {
            OfferedPerSecond = ratePerSecond,
            CompletedShare = throughput / ratePerSecond,
            InFlightGrowthPerSecond = ratePerSecond - throughput,
            BegunGrowthPerSecond = ratePerSecond >= GeneratorCapacity ? BegunGrowth : ratePerSecond - throughput,
            GeneratorEvidence = ratePerSecond >= GeneratorCapacity ? ["iterations started 80 ms late"] : [],
        });
    }

    private LoadStepResult StepOf(double concurrency, double throughput, TimeSpan window, double latencyMs) => new()
    {
        Concurrency = concurrency,
        WindowMs = window.TotalMilliseconds,
        Completed = (long)(throughput * window.TotalSeconds),
        ThroughputPerSecond = throughput,
        P50Ms = latencyMs,
        P95Ms = latencyMs,
        Failed = 0,
        GeneratorEvidence = [],
        Demands = Demands,
        Waits = Waits,
    };
}
