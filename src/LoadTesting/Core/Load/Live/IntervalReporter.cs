namespace LoadTesting.Core.Load.Live;

/// <summary>
/// Divides a load into intervals. Iterations are recorded by second; steps are taken when an interval ends, and the
/// interval is reported a second later, when all its seconds are complete.
/// </summary>
internal sealed class IntervalReporter
{
    private readonly IReadOnlyList<ScenarioRun> _runs;
    private readonly LoadOptions _options;
    private readonly RunControl _control;
    private readonly long _start;
    private readonly long _length;
    private IReadOnlyList<(string Name, Meter Meter)>[]? _steps;
    private long _taken;
    private long _reported;

    internal IntervalReporter(IReadOnlyList<ScenarioRun> runs, LoadOptions options, RunControl control, long start)
    {
        (_runs, _options, _control, _start) = (runs, options, control, start);
        _length = StopwatchTime.FromTimeSpan(options.Interval);
        foreach (var run in runs)
        {
            run.KeepIntervals(start, _length);
        }
    }

    /// <summary>Called once a second by one thread, after the scenarios have added up their seconds.</summary>
    internal void EndSecond(long now)
    {
        // The last second of the interval may not have been complete yet.
        if (_steps is { } steps && now - _start >= (_taken * _length) + Stopwatch.Frequency)
        {
            _steps = null;
            Report(_taken, _start + (_taken * _length), steps);
        }

        var over = (now - _start) / _length;
        if (over > _taken && _steps is null)
        {
            _steps = TakeSteps();
            _taken = over;
        }
    }

    /// <summary>Reports the rest after the load has ended and its scenarios are closed.</summary>
    internal void Complete(long end)
    {
        var steps = TakeSteps();
        if (_steps is { } taken)
        {
            steps = [.. taken.Zip(steps, Merge)];
        }

        Report(long.MaxValue, end, steps);
    }

    private IReadOnlyList<(string Name, Meter Meter)>[] TakeSteps() => [.. _runs.Select(run => run.Steps.Take())];

    private static IReadOnlyList<(string Name, Meter Meter)> Merge(
        IReadOnlyList<(string Name, Meter Meter)> earlier, IReadOnlyList<(string Name, Meter Meter)> later)
    {
        foreach (var (name, meter) in earlier)
        {
            later.First(step => step.Name == name).Meter.Merge(meter);
        }

        return later;
    }

    private void Report(long before, long end, IReadOnlyList<(string Name, Meter Meter)>[] steps)
    {
        var (from, to) = (_start + (_reported * _length), end);
        var duration = StopwatchTime.ToTimeSpan(to - from);
        _reported = before;
        _options.OnInterval!(new LoadInterval(
            StopwatchTime.ToTimeSpan(from - _start),
            StopwatchTime.ToTimeSpan(to - _start),
            before == long.MaxValue,
            [.. _runs.Zip(steps, (run, taken) => Of(run, run.TakeInterval(before), taken, duration))],
            _control.Stop));
    }

    private static ScenarioInterval Of(
        ScenarioRun run, Meter iterations, IReadOnlyList<(string Name, Meter Meter)> steps, TimeSpan duration)
    {
        var ended = iterations.Ok.Count + iterations.Fail.Count;
        return new ScenarioInterval
        {
            Name = run.Name,
            Ok = iterations.Ok.ToResult(run.Props.Model, ended, duration),
            Fail = iterations.Fail.ToResult(run.Props.Model, ended, duration),
            Steps = [.. steps.Select(step => StepStats.From(step.Name, step.Meter, run.Props.Model, duration))],
        };
    }
}
