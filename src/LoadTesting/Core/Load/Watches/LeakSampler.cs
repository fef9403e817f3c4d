namespace LoadTesting.Core.Load.Watches;

/// <summary>Reads probes once a second until it is stopped. A probe that fails is read again, and its series says why it did.</summary>
public sealed class LeakSampler
{
    private readonly TimeProvider _time;
    private readonly long _start;
    private readonly Watched[] _watched;
    private readonly PeriodicTimer _timer;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _sampling;

    private LeakSampler(IEnumerable<LeakProbe> probes, TimeProvider time, TimeSpan interval)
    {
        _time = time;
        _start = time.GetTimestamp();
        _watched = [.. probes.Select(probe => new Watched(probe))];
        _timer = new PeriodicTimer(interval, time);
        _sampling = Task.Run(SampleAsync, CancellationToken.None);
    }

    /// <param name="probes">What to read, one after the other.</param>
    /// <param name="timeProvider">The clock. Default: the system's.</param>
    /// <param name="interval">Between two readings. Default: a second.</param>
    public static LeakSampler Start(IEnumerable<LeakProbe> probes, TimeProvider? timeProvider = null, TimeSpan? interval = null)
    {
        ArgumentNullException.ThrowIfNull(probes);
        return new(probes, timeProvider ?? TimeProvider.System, interval ?? TimeSpan.FromSeconds(1));
    }

    /// <summary>What was read so far; the sampler goes on.</summary>
    public IReadOnlyList<LeakSeries> Read() => [.. _watched.Select(watched => watched.ToSeries())];

    /// <summary>Stops, and returns what was read. A reading under way is let finish.</summary>
    public async Task<IReadOnlyList<LeakSeries>> StopAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _sampling.ConfigureAwait(false);
        _timer.Dispose();
        _stop.Dispose();
        return Read();
    }

    private async Task SampleAsync()
    {
        try
        {
            while (await _timer.WaitForNextTickAsync(_stop.Token).ConfigureAwait(false))
            {
                foreach (var watched in _watched)
                {
                    await ReadAsync(watched).ConfigureAwait(false);
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // Ends here when it is stopped.
        }
    }

    private async Task ReadAsync(Watched watched)
    {
        var seconds = _time.GetElapsedTime(_start).TotalSeconds;
        try
        {
            if (await watched.Probe.ReadAsync(CancellationToken.None).ConfigureAwait(false) is { } value)
            {
                watched.Add(seconds, value);
            }
        }
        catch (Exception exception)
        {
            watched.Fail(exception.Message);
        }
    }

    private sealed class Watched(LeakProbe probe)
    {
        private readonly Lock _gate = new();
        private readonly List<double> _seconds = [];
        private readonly List<double> _values = [];
        private string? _error;
        private int _failed;

        public LeakProbe Probe => probe;

        public void Add(double seconds, double value)
        {
            lock (_gate)
            {
                _seconds.Add(seconds);
                _values.Add(value);
            }
        }

        public void Fail(string error)
        {
            lock (_gate)
            {
                _error = error;
                _failed++;
            }
        }

        public LeakSeries ToSeries()
        {
            lock (_gate)
            {
                return new LeakSeries(probe, [.. _seconds], [.. _values], _error, _failed);
            }
        }
    }
}

/// <summary>A resource that is looked at while a soak runs.</summary>
/// <param name="Name">Name in camel case, e.g. <c>workingSet</c>.</param>
/// <param name="Unit">Unit of the values, e.g. <c>bytes</c>.</param>
/// <param name="Floor">Growth over the whole soak that is never held against it, in the unit; what the resource fluctuates by.</param>
/// <param name="ReadAsync">Reads it; null where there is nothing to read at the moment.</param>
public sealed record LeakProbe(string Name, string Unit, double Floor, Func<CancellationToken, ValueTask<double?>> ReadAsync)
{
    /// <summary>
    /// Whether the lowest value of a window counts instead of its median: for memory, of which garbage that is not collected yet is no
    /// part.
    /// </summary>
    public bool TakesMinimum { get; init; }

    /// <summary>
    /// Whether it is what the same work takes all along, and held by nobody: where it grows, the machine has become slower, which may
    /// explain what else grows.
    /// </summary>
    public bool IsReference { get; init; }
}

/// <param name="Seconds">When, in seconds since the sampler started, ascending.</param>
/// <param name="Values">What, one for each moment.</param>
/// <param name="Error">Why the last reading that failed did; null where none failed.</param>
/// <param name="Failed">Readings that failed; 0 or more.</param>
public sealed record LeakSeries(
    LeakProbe Probe, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values, string? Error = null, int Failed = 0);
