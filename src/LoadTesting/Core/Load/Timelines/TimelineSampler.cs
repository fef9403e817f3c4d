namespace LoadTesting.Core.Load.Timelines;

/// <summary>
/// Runs once a second on a dedicated thread beside the load: adds up the scenarios' records, which checks their abort
/// rules, and reads a source.
/// </summary>
internal sealed class TimelineSampler
{
    private readonly IReadOnlyList<ScenarioRun> _runs;
    private readonly LoadSamples _samples;
    private readonly ITimelineSource _source;
    private readonly IReadOnlyList<Action<long>> _everySecond;
    private readonly CancellationTokenSource _giveUp = new();
    private readonly object _gate = new();
    private readonly Thread _thread;
    private Task _reading = Task.CompletedTask;
    private bool _isStopped;

    private TimelineSampler(
        IReadOnlyList<ScenarioRun> runs, LoadSamples samples, ITimelineSource source,
        IReadOnlyList<Action<long>> everySecond)
    {
        (_runs, _samples, _source, _everySecond) = (runs, samples, source, everySecond);
        _thread = new Thread(Run) { IsBackground = true, Name = "load-timeline" };
        _thread.Start();
    }

    /// <param name="runs">The scenarios.</param>
    /// <param name="samples">Receives the readings.</param>
    /// <param name="source">Read once a second.</param>
    /// <param name="everySecond">Called in this order after the scenarios have added up their seconds, with the current
    /// Stopwatch ticks. Give none without scenarios.</param>
    internal static TimelineSampler Start(
        IReadOnlyList<ScenarioRun> runs, LoadSamples samples, ITimelineSource source,
        params IReadOnlyList<Action<long>> everySecond) =>
        new(runs, samples, source, everySecond);

    /// <summary>Stops after a last reading, which may take a second.</summary>
    internal async Task StopAsync()
    {
        lock (_gate)
        {
            _isStopped = true;
            Monitor.PulseAll(_gate);
        }

        await Task.Run(_thread.Join, CancellationToken.None).ConfigureAwait(false);
        _giveUp.CancelAfter(TimeSpan.FromSeconds(1));
        await _reading.ConfigureAwait(false);
        _giveUp.Dispose();
    }

    private void Run()
    {
        var due = Stopwatch.GetTimestamp();
        Read();
        while (WaitUntil(due += Stopwatch.Frequency))
        {
            EndSecond();
            Read();
        }

        Read();
    }

    /// <summary>False if stopped before that moment.</summary>
    private bool WaitUntil(long due)
    {
        lock (_gate)
        {
            for (var now = Stopwatch.GetTimestamp(); now < due && !_isStopped; now = Stopwatch.GetTimestamp())
            {
                Monitor.Wait(_gate, Math.Max(1, (int)StopwatchTime.ToMilliseconds(due - now)));
            }

            return !_isStopped;
        }
    }

    private void EndSecond()
    {
        var now = Stopwatch.GetTimestamp();
        foreach (var run in _runs)
        {
            try
            {
                run.EndSecond(now);
            }
            catch (Exception exception)
            {
                run.Fault(exception);
            }
        }

        foreach (var each in _everySecond)
        {
            try
            {
                each(now);
            }
            catch (Exception exception)
            {
                _runs[0].Fault(exception);
            }
        }
    }

    /// <summary>Skips a reading while the one before has not ended.</summary>
    private void Read()
    {
        if (_reading.IsCompleted)
        {
            _reading = ReadAsync();
        }
    }

    private async Task ReadAsync()
    {
        try
        {
            var reading = await _source.ReadAsync(_giveUp.Token).ConfigureAwait(false);
            _samples.AddReading(Stopwatch.GetTimestamp(), reading);
        }
        catch (Exception exception)
        {
            _samples.AddFailure(exception.Message);
        }
    }
}
