namespace LoadTesting.Core.Load.Watches;

/// <summary>
/// Reads probes once a second until it is stopped. A failed probe is read again later; its series contains the error.
/// </summary>
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

    /// <summary>Starts a sampler.</summary>
    /// <param name="probes">The probes, read one after the other.</param>
    /// <param name="timeProvider">The clock. Default: the system's.</param>
    /// <param name="interval">Interval between readings. Default: one second.</param>
    public static LeakSampler Start(
        IEnumerable<LeakProbe> probes, TimeProvider? timeProvider = null, TimeSpan? interval = null)
    {
        return new(probes, timeProvider ?? TimeProvider.System, interval ?? TimeSpan.FromSeconds(1));
    }

    /// <summary>The series so far; the sampler continues.</summary>
    public IReadOnlyList<LeakSeries> Read() => [.. _watched.Select(watched => watched.ToSeries())];

    /// <summary>Stops after the current reading and returns the series.</summary>
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
            // Stopped.
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
