namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// One load step of a search for the capacity: a warm-up that goes over into the window without a gap, so that the window sees the load it
/// asks for from its first moment, and an end that waits for everything that was started. Good for one measurement.
/// </summary>
public sealed class LoadStep
{
    // The load lasts a little longer than the window, which would otherwise see it stop.
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
    /// <exception cref="ArgumentOutOfRangeException">The rate starts nothing within the measurement, or more than an <see cref="int"/>
    /// counts.</exception>
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
        ArgumentNullException.ThrowIfNull(context);
        ArgumentNullException.ThrowIfNull(body);
        var intended = context.IntendedTimestamp;
        _window.Due(intended);
        _window.Begun(Stopwatch.GetTimestamp());
        IResponse? response = null;
        try
        {
            return response = await body(context).ConfigureAwait(false);
        }
        finally
        {
            _window.Ended(intended, response?.EndTimestamp ?? Stopwatch.GetTimestamp(), response is { IsError: false });
        }
    }

    /// <summary>What the window saw of a load that is over.</summary>
    public LoadStepResult ResultOf(LoadResult load)
    {
        ArgumentNullException.ThrowIfNull(load);
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
            GeneratorEvidence = [.. load.Health.Evidence.Select(evidence => evidence.Text)],
        };
    }

    /// <summary>Measures a body alone, with the load runner.</summary>
    /// <param name="name">Name of the scenario, for messages.</param>
    /// <param name="body">One operation.</param>
    /// <param name="options">Settings of the load runner, among them when the generator counts as the limit.</param>
    public async Task<LoadStepResult> MeasureAsync(
        string name, Func<IScenarioContext, Task<IResponse>> body, LoadOptions options, CancellationToken cancellationToken)
    {
        var scenario = Scenario.Create(name, context => RunAsync(context, body)).WithLoadSimulations(Load);
        return ResultOf(await new LoadRunner().RunAsync([scenario], options, cancellationToken).ConfigureAwait(false));
    }
}

/// <summary>
/// Counts the operations of one measurement on one clock: when each was due and when it ended, in bins of 50 ms. What is in flight at the
/// edge of a bin follows from the sums, so that no sampler can come late. An operation that was due and whose body has not begun is in
/// flight.
/// </summary>
internal sealed class LoadStepWindow
{
    private static readonly long s_bin = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(50));

    private readonly long[] _due;
    private readonly long[] _begun;
    private readonly long[] _ended;
    private readonly int _first;
    private readonly LatencyRecorder _latency = new();
    private long _completed;
    private long _origin;

    internal LoadStepWindow(TimeSpan warmUp, TimeSpan window)
    {
        _first = (int)Math.Ceiling((double)StopwatchTime.FromTimeSpan(warmUp) / s_bin);
        var bins = _first + Math.Max(1, (int)Math.Ceiling((double)StopwatchTime.FromTimeSpan(window) / s_bin));
        (_due, _begun, _ended) = (new long[bins], new long[bins], new long[bins]);
    }

    /// <summary>From the beginning of the warm-up to the end of the window.</summary>
    internal TimeSpan Whole => StopwatchTime.ToTimeSpan(_due.Length * s_bin);

    /// <summary>Whole bins, so a little longer than was asked for.</summary>
    internal TimeSpan Length => StopwatchTime.ToTimeSpan((_due.Length - _first) * s_bin);

    /// <summary>Successes that ended in the window.</summary>
    internal long Completed => Volatile.Read(ref _completed);

    /// <summary>Latency of the successes that were due in the window, whenever they ended.</summary>
    internal LatencyHistogram Latency => _latency.Snapshot();

    /// <summary>An operation is due. The first one begins the warm-up.</summary>
    internal void Due(long intended)
    {
        Interlocked.CompareExchange(ref _origin, intended, 0);
        Count(_due, intended);
    }

    /// <summary>The body of an operation begins.</summary>
    internal void Begun(long timestamp) => Count(_begun, timestamp);

    internal void Ended(long intended, long end, bool isOk)
    {
        var bin = Count(_ended, end);
        if (isOk && bin >= _first && bin < _ended.Length)
        {
            Interlocked.Increment(ref _completed);
        }

        if (isOk && BinOf(intended) is var due && due >= _first && due < _due.Length)
        {
            _latency.RecordStopwatchTicks(end - intended);
        }
    }

    /// <summary>The slope of what is in flight over the window, per second; null from too few bins.</summary>
    internal LinearTrend? InFlightTrend() => Trend(_due);

    /// <summary>The same of what has begun.</summary>
    internal LinearTrend? BegunTrend() => Trend(_begun);

    private LinearTrend? Trend(long[] arrivals)
    {
        var points = new List<(double Seconds, double InFlight)>();
        var inFlight = 0L;
        for (var bin = 0; bin < _due.Length; bin++)
        {
            inFlight += Volatile.Read(ref arrivals[bin]) - Volatile.Read(ref _ended[bin]);
            if (bin >= _first)
            {
                points.Add((StopwatchTime.ToTimeSpan((bin + 1) * s_bin).TotalSeconds, inFlight));
            }
        }

        return LinearTrend.Of(points);
    }

    private long BinOf(long timestamp) => Math.Max(0, timestamp - _origin) / s_bin;

    private long Count(long[] bins, long timestamp)
    {
        var bin = BinOf(timestamp);
        if (bin < bins.Length)
        {
            Interlocked.Increment(ref bins[bin]);
        }

        return bin;
    }
}
