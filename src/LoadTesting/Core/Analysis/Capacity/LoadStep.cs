namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// One load step of a search for the capacity: a warm-up, the measured window that follows it without a gap, and an end
/// that waits for all operations that were started. An instance measures once.
/// </summary>
public sealed class LoadStep
{
    // The load outlasts the window, so that its end is not measured.
    private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(200);

    private readonly LoadStepWindow _window;
    private readonly double? _offered;
    private readonly int? _concurrency;

    private LoadStep(LoadStepWindow window, double? offered, int? concurrency, LoadSimulation load)
    {
        _window = window;
        _offered = offered;
        _concurrency = concurrency;
        Load = load;
    }

    /// <summary>The load, warm-up included.</summary>
    public LoadSimulation Load { get; }

    /// <summary>Closed: keeps <paramref name="concurrency"/> operations in flight.</summary>
    /// <param name="concurrency">At least 1.</param>
    /// <param name="warmUp">Load before the window, zero or longer.</param>
    /// <param name="window">Length of the measured part.</param>
    public static LoadStep Keep(int concurrency, TimeSpan warmUp, TimeSpan window)
    {
        var bins = new LoadStepWindow(warmUp, window);
        return new(bins, offered: null, concurrency, Simulation.KeepConstant(concurrency, bins.Whole + Margin));
    }

    /// <summary>Open: starts <paramref name="ratePerSecond"/> operations a second, evenly.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The rate starts nothing within the measurement, or more than an
    /// <see cref="int"/> counts.</exception>
    public static LoadStep Offer(double ratePerSecond, TimeSpan warmUp, TimeSpan window)
    {
        var bins = new LoadStepWindow(warmUp, window);
        var during = bins.Whole + Margin;
        var count = ratePerSecond * during.TotalSeconds;
        return count is >= 1 and < int.MaxValue
            ? new(bins, ratePerSecond, concurrency: null, Simulation.Inject((int)Math.Round(count), during, during))
            : throw new ArgumentOutOfRangeException(
                nameof(ratePerSecond), ratePerSecond,
                $"{ratePerSecond} operations a second make {count} in {during}; it is 1 to {int.MaxValue}.");
    }

    /// <summary>Runs one operation and counts it in the window.</summary>
    public async Task<IResponse> RunAsync(IScenarioContext context, Func<IScenarioContext, Task<IResponse>> body)
    {
        var intended = context.IntendedTimestamp;
        _window.RecordDue(intended);
        _window.RecordBegin(Stopwatch.GetTimestamp());
        IResponse? response = null;
        try
        {
            return response = await body(context).ConfigureAwait(false);
        }
        finally
        {
            _window.RecordEnd(
                intended, response?.EndTimestamp ?? Stopwatch.GetTimestamp(), response is { IsError: false });
        }
    }

    /// <summary>The figures of the window, after the load has ended.</summary>
    public LoadStepResult ResultOf(LoadResult load)
    {
        var measured = load.Scenarios[0];
        var latency = _window.Latency;
        var throughput = _window.Completed / _window.Length.TotalSeconds;
        return new LoadStepResult
        {
            Concurrency = _concurrency ?? (latency.Count > 0 ? throughput * latency.AverageMs / 1000 : (double?)null),
            OfferedPerSecond = _offered,
            WindowMs = _window.Length.TotalMilliseconds,
            Completed = _window.Completed,
            ThroughputPerSecond = throughput,
            CompletedShare = throughput / _offered,
            InFlightGrowthPerSecond = _offered is null ? null : _window.InFlightTrend()?.SlopeUpper95,
            BegunGrowthPerSecond = _offered is null ? null : _window.BegunTrend()?.SlopeUpper95,
            P50Ms = latency.Count > 0 ? latency.PercentileMs(50) : null,
            P95Ms = latency.Count > 0 ? latency.PercentileMs(95) : null,
            Failed = measured.Fail.Count + measured.Unfinished,
            Stalls = [.. measured.Stalls.Where(stall => stall.DurationMs >= StallResult.LongMs)],
            GeneratorEvidence = load.Health.Figures.Evidence,
        };
    }

    /// <summary>Measures a body alone, with the load runner.</summary>
    /// <param name="name">Name of the scenario, for messages.</param>
    /// <param name="body">One operation.</param>
    /// <param name="options">Settings of the load runner, among them when the generator counts as the limit.</param>
    public async Task<LoadStepResult> MeasureAsync(
        string name, Func<IScenarioContext, Task<IResponse>> body, LoadOptions options,
        CancellationToken cancellationToken)
    {
        var scenario = Scenario.Create(name, context => RunAsync(context, body)).WithLoadSimulations(Load);
        return ResultOf(await new LoadRunner().RunAsync([scenario], options, cancellationToken).ConfigureAwait(false));
    }
}
