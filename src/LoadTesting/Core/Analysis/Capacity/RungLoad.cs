using System.Diagnostics;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// Measures one rung with the load runner: a warm-up that goes over into the window without a gap, so that the window sees the load it asks for from its first
/// moment, and an end that waits for everything that was started.
/// </summary>
/// <param name="name">Name of the scenario, for messages.</param>
/// <param name="body">One operation.</param>
/// <param name="warmUp">Load before the window, zero or longer.</param>
/// <param name="options">Settings of the load runner, among them when the generator counts as the limit.</param>
public sealed class RungLoad(string name, Func<IScenarioContext, Task<IResponse>> body, TimeSpan warmUp, LoadOptions options)
{
    // The load lasts a little longer than the window, which would otherwise see it stop.
    private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(200);

    /// <summary>Closed: keeps <paramref name="concurrency"/> operations under way.</summary>
    public Task<RungResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(new RungWindow(warmUp, window), null, concurrency, during => Simulation.KeepConstant(concurrency, during), cancellationToken);

    /// <summary>Open: starts <paramref name="ratePerSecond"/> operations a second, evenly.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The rate starts nothing within the measurement, or more than an <see cref="int"/> counts.</exception>
    public Task<RungResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken)
    {
        var bins = new RungWindow(warmUp, window);
        var count = ratePerSecond * (bins.Whole + Margin).TotalSeconds;
        return count is >= 1 and < int.MaxValue
            ? MeasureAsync(bins, ratePerSecond, null, during => Simulation.Inject((int)Math.Round(count), during, during), cancellationToken)
            : throw new ArgumentOutOfRangeException(nameof(ratePerSecond), ratePerSecond, $"{ratePerSecond} operations a second make {count} in {bins.Whole + Margin}; it is 1 to {int.MaxValue}.");
    }

    private async Task<RungResult> MeasureAsync(
        RungWindow window, double? offered, int? concurrency, Func<TimeSpan, LoadSimulation> load, CancellationToken cancellationToken)
    {
        var scenario = Scenario.Create(name, context => RunAsync(window, context)).WithLoadSimulations(load(window.Whole + Margin));
        var result = await new LoadRunner().RunAsync([scenario], options, cancellationToken).ConfigureAwait(false);
        var measured = result.Scenarios[0];
        var latency = window.Latency;
        var throughput = window.Completed / window.Length.TotalSeconds;
        return new RungResult
        {
            Concurrency = concurrency ?? (latency.Count > 0 ? throughput * latency.AverageMs / 1000 : (double?)null),
            OfferedPerSecond = offered,
            WindowMs = window.Length.TotalMilliseconds,
            Completed = window.Completed,
            ThroughputPerSecond = throughput,
            CompletedShare = throughput / offered,
            InFlightGrowthPerSecond = offered is null ? null : window.InFlightTrend()?.SlopeUpper95,
            P50Ms = latency.Count > 0 ? latency.PercentileMs(50) : null,
            P95Ms = latency.Count > 0 ? latency.PercentileMs(95) : null,
            Failed = measured.Fail.Count + measured.Unfinished,
            GeneratorEvidence = [.. result.Health.Evidence.Select(evidence => evidence.Text)],
        };
    }

    private async Task<IResponse> RunAsync(RungWindow window, IScenarioContext context)
    {
        var intended = context.IntendedTimestamp;
        window.Due(intended);
        IResponse? response = null;
        try
        {
            return response = await body(context).ConfigureAwait(false);
        }
        finally
        {
            window.Ended(intended, response?.EndTimestamp ?? Stopwatch.GetTimestamp(), response is { IsError: false });
        }
    }
}
