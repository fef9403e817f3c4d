namespace LoadTesting.Core.Load;

/// <summary>What a stretch of a running load measured.</summary>
/// <param name="From">Its beginning, from that of the load.</param>
/// <param name="To">Its end: a whole number of intervals, or that of the load for the last one, which may be longer by a second.</param>
/// <param name="IsLast">Whether it ends with the load.</param>
/// <param name="Scenarios">In the order in which they were given.</param>
/// <param name="StopCurrentTest">Starts nothing more in any scenario, for the reason given.</param>
public sealed record LoadInterval(
    TimeSpan From, TimeSpan To, bool IsLast, IReadOnlyList<ScenarioInterval> Scenarios, Action<string> StopCurrentTest);

/// <summary>What a scenario measured in an interval, by when it ended. Rates are per second of the interval, pauses included.</summary>
public sealed record ScenarioInterval
{
    public required string Name { get; init; }
    public required MeasurementStats Ok { get; init; }
    public required MeasurementStats Fail { get; init; }

    /// <summary>In the order in which they were first seen. What ends close to the boundary may be in the next interval.</summary>
    public required IReadOnlyList<StepStats> Steps { get; init; }
}

/// <summary>A second of a scenario that is over, as displays and abort rules see it.</summary>
/// <param name="Index">From 0.</param>
/// <param name="Latency">Of what completed in it: response time, without a schedule service time.</param>
/// <param name="Lag">Intended to actual start of what ended in it; empty without a schedule.</param>
/// <param name="Failed">How many failed in it.</param>
/// <param name="Errors">They, by status code.</param>
internal sealed record LiveSecond(
    long Index, LatencyHistogram Latency, LatencyHistogram Lag, long Failed, IReadOnlyDictionary<string, long> Errors);

/// <summary>What a scenario that runs has come to, as far as that is counted at once.</summary>
/// <param name="Asked">Iterations that its schedule has asked for; null without one.</param>
/// <param name="Started">Those that have started.</param>
/// <param name="Dropped">Those that were due and did not.</param>
/// <param name="InFlight">Those that run.</param>
/// <param name="Refused">Those that the system has refused; null where status codes say it.</param>
internal sealed record LiveCounts(long? Asked, long Started, long Dropped, long InFlight, long? Refused);

/// <summary>
/// Cuts a load into intervals. Iterations are kept by the second, steps are not: they are taken when an interval ends, and the interval is
/// reported a second later, when all its seconds are complete.
/// </summary>
internal sealed class IntervalReporter
{
    private readonly IReadOnlyList<ScenarioRun> _runs;
    private readonly LoadOptions _options;
    private readonly RunControl _control;
    private readonly long _start;
    private readonly long _length;
    private IReadOnlyList<(string Name, MeterStripe Meter)>[]? _steps;
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
        // A second whose end was just not complete is added up a second later.
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

    /// <summary>The load has ended and its scenarios are closed: reports the rest.</summary>
    internal void Complete(long end)
    {
        var steps = TakeSteps();
        if (_steps is { } taken)
        {
            steps = [.. taken.Zip(steps, Merge)];
        }

        Report(long.MaxValue, end, steps);
    }

    private IReadOnlyList<(string Name, MeterStripe Meter)>[] TakeSteps() => [.. _runs.Select(run => run.Steps.Take())];

    private static IReadOnlyList<(string Name, MeterStripe Meter)> Merge(
        IReadOnlyList<(string Name, MeterStripe Meter)> earlier, IReadOnlyList<(string Name, MeterStripe Meter)> later)
    {
        foreach (var (name, meter) in earlier)
        {
            later.First(step => step.Name == name).Meter.Merge(meter);
        }

        return later;
    }

    private void Report(long before, long end, IReadOnlyList<(string Name, MeterStripe Meter)>[] steps)
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
        ScenarioRun run, MeterStripe iterations, IReadOnlyList<(string Name, MeterStripe Meter)> steps, TimeSpan duration)
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
