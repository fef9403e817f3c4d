using System.Collections.Concurrent;
using System.Diagnostics;

namespace LoadTesting.Core.Load;

/// <summary>
/// One scenario's warm-up or measured load: its copies, its meters, its counters. The schedule runs on a thread of its own.
/// </summary>
internal sealed class ScenarioRun
{
    private readonly ConcurrentQueue<ScenarioInstance> _idle = new();
    private readonly TaskCompletionSource<ScenarioStats> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _body;
    private readonly Meter _iterations;
    private readonly LoadOptions _options;
    private int _instances;
    private long _started;
    private long _startedLate;
    private int _failed;
    private volatile bool _isCut;
    private volatile Exception? _fault;

    /// <param name="operation">Warm-up or measurement.</param>
    /// <param name="options">Settings.</param>
    /// <param name="control">What all scenarios share.</param>
    /// <param name="knowsSchedule">False where another engine starts the iterations and does not say when it meant to.</param>
    internal ScenarioRun(
        ScenarioProps props, ScenarioOperation operation, LoadOptions options, RunControl control, bool knowsSchedule = true)
    {
        (Props, Operation, Control, _options) = (props, operation, control, options);
        Simulations = operation == ScenarioOperation.WarmUp
            ? [props.LoadSimulations.First(simulation => simulation.Model is not null).For(props.WarmUpDuration!.Value)]
            : props.LoadSimulations;
        _body = CancellationTokenSource.CreateLinkedTokenSource(control.CancellationToken);
        BodyToken = _body.Token;
        var hasSchedule = knowsSchedule && props.Model == LoadModel.Open;
        _iterations = new Meter(hasSchedule);
        Steps = new StepMeters(props.ScenarioName, hasSchedule);
        Wait = new PreciseWait(control.Gate, () => control.IsStopped);
    }

    internal ScenarioProps Props { get; }
    internal string Name => Props.ScenarioName;
    internal ScenarioOperation Operation { get; }
    internal IReadOnlyList<LoadSimulation> Simulations { get; }
    internal RunControl Control { get; }
    internal StepMeters Steps { get; }
    internal PreciseWait Wait { get; }
    internal DrainGate InFlight { get; } = new();
    internal CompletionGaps Gaps { get; } = new();
    internal CancellationToken BodyToken { get; }
    internal int Seed => _options.Seed;
    internal TimeSpan CompletionTimeout => _options.CompletionTimeout;
    internal HiddenStallLimits StallLimits => _options.StallLimits;
    internal long Started => Volatile.Read(ref _started);
    internal long StartedLate => Volatile.Read(ref _startedLate);

    /// <summary>Runs the load on a thread of its own.</summary>
    internal Task<ScenarioStats> RunAsync()
    {
        new Thread(RunOnOwnThread) { IsBackground = true, Name = $"load-{Name}", Priority = ThreadPriority.AboveNormal }.Start();
        return _completion.Task;
    }

    /// <summary>A copy that is not in use, counted as in flight until it is given back.</summary>
    internal ScenarioInstance Rent()
    {
        InFlight.Enter();
        return _idle.TryDequeue(out var instance) ? instance : new ScenarioInstance(this, Interlocked.Increment(ref _instances) - 1);
    }

    internal void Return(ScenarioInstance instance)
    {
        _idle.Enqueue(instance);
        InFlight.Leave();
    }

    /// <summary>The number of an iteration that may start now; null when the run has been cut.</summary>
    internal long? TryBegin() => _isCut ? null : Interlocked.Increment(ref _started) - 1;

    internal void CountLateStart() => Interlocked.Increment(ref _startedLate);

    internal void Record(long start, long seenEnd, long lagTicks, IResponse response)
    {
        _iterations.Record(start, response.EndTimestamp ?? seenEnd, lagTicks, response);
        if (Props.Model == LoadModel.Closed)
        {
            Gaps.Completed(seenEnd);
        }

        if (response.IsError && Interlocked.Increment(ref _failed) > Props.MaxFailCount)
        {
            Control.Stop($"scenario '{Name}': {Props.MaxFailCount + 1L} failed iterations are more than "
                + $"WithMaxFailCount({Props.MaxFailCount}) allows; the last one: {response.StatusCode} {response.Message}");
        }
    }

    /// <summary>The engine itself failed: the run ends with that exception.</summary>
    internal void Fault(Exception exception)
    {
        _fault = exception;
        Control.Stop($"scenario '{Name}': {exception.Message}");
    }

    private void RunOnOwnThread()
    {
        try
        {
            var result = RunSimulations();
            _completion.SetResult(_fault is null
                ? result
                : throw new InvalidOperationException($"Scenario '{Name}' could not be run: {_fault.Message}", _fault));
        }
        catch (Exception exception)
        {
            _completion.SetException(exception);
        }
    }

    /// <summary>Signals the bodies that their run is over.</summary>
    internal void CancelBodies() => _body.Cancel();

    private ScenarioStats RunSimulations()
    {
        var tally = new ScheduleTally(Stopwatch.GetTimestamp());
        LoadChain.Run(this, tally);
        return Conclude(tally);
    }

    /// <summary>Waits for what is still running, and closes the account. Nothing more may start.</summary>
    internal ScenarioStats Conclude(ScheduleTally tally)
    {
        using var body = _body;
        var isDrained = InFlight.WaitUntilEmpty(CompletionTimeout);
        _isCut = true;
        var iterations = _iterations.Close();
        var steps = Steps.InOrder().Select(step => (step.Name, step.Meter.Close())).ToArray();
        var result = new ScenarioOutcome(this, tally, isDrained, Stopwatch.GetTimestamp()).ToResult(iterations, steps);
        if (!isDrained)
        {
            body.Cancel();
        }

        return result;
    }
}

/// <summary>Turns what a scenario's run has gathered into its result.</summary>
internal sealed class ScenarioOutcome(ScenarioRun run, ScheduleTally tally, bool isDrained, long now)
{
    internal ScenarioStats ToResult(MeterStripe iterations, IReadOnlyList<(string Name, MeterStripe Meter)> steps)
    {
        // Read after the meters were closed: every measurement belongs to an iteration that is counted as started.
        var started = run.Started;
        var requested = Math.Max(tally.Requested, started);
        var duration = StopwatchTime.ToTimeSpan(End(iterations.LastEnd, started) - tally.Start);
        var paused = StopwatchTime.ToTimeSpan(tally.Paused);
        var loaded = duration - paused;
        var ended = iterations.Ok.Count + iterations.Fail.Count;
        var ok = iterations.Ok.ToResult(run.Props.Model, ended, loaded);
        var fail = iterations.Fail.ToResult(run.Props.Model, ended, loaded);
        var result = new ScenarioStats
        {
            Name = run.Name,
            Model = run.Props.Model,
            Simulations = [.. run.Simulations.Select(simulation => simulation.ToString())],
            PlannedDuration = PlannedDuration(),
            Duration = duration,
            Paused = paused,
            Requested = requested,
            Started = started,
            Dropped = requested - started,
            DroppedInFlightLimit = tally.DroppedInFlightLimit,
            DroppedAfterStop = Math.Min(tally.DroppedAfterStop, requested - started),
            Unfinished = started - ended,
            StartedLate = run.StartedLate,
            Ok = ok,
            Fail = fail,
            ScheduleLag = iterations.ScheduleLag,
            Steps = [.. steps.Select(step => Step(step.Name, step.Meter, loaded))],
            HiddenStall = run.Props.Model == LoadModel.Closed
                ? run.Gaps.Judge(LatencyHistogram.MergeAll([ok.Service, fail.Service]), loaded, run.StallLimits)
                : null,
        };
        return run.Operation == ScenarioOperation.WarmUp
            ? result
            : result with { Thresholds = [.. run.Props.Thresholds.Select(threshold => threshold.Evaluate(result))] };
    }

    private StepStats Step(string name, MeterStripe meter, TimeSpan loaded)
    {
        var ended = meter.Ok.Count + meter.Fail.Count;
        return new StepStats
        {
            Name = name,
            Ok = meter.Ok.ToResult(run.Props.Model, ended, loaded),
            Fail = meter.Fail.ToResult(run.Props.Model, ended, loaded),
            ScheduleLag = meter.ScheduleLag,
            EndBeforeStart = meter.EndBeforeStart,
        };
    }

    private long End(long lastEnd, long started)
    {
        if (!isDrained || (started == 0 && tally.ScheduleEnd == 0))
        {
            return now;
        }

        return Math.Max(tally.Start, Math.Max(Math.Min(lastEnd, now), tally.ScheduleEnd));
    }

    private TimeSpan? PlannedDuration() => run.Simulations.All(simulation => simulation.PlannedDuration is not null)
        ? run.Simulations.Aggregate(TimeSpan.Zero, (sum, simulation) => sum + simulation.PlannedDuration!.Value)
        : null;
}

/// <summary>
/// Counts what is in flight and lets one thread wait until nothing is. An interlocked operation to enter and one to leave.
/// </summary>
internal sealed class DrainGate
{
    private readonly object _gate = new();
    private int _count;
    private int _isAwaited;

    internal int Count => Volatile.Read(ref _count);

    internal void Enter() => Interlocked.Increment(ref _count);

    internal void Leave()
    {
        if (Interlocked.Decrement(ref _count) == 0 && Volatile.Read(ref _isAwaited) != 0)
        {
            lock (_gate)
            {
                Monitor.PulseAll(_gate);
            }
        }
    }

    /// <summary>True when nothing is in flight; false when <paramref name="timeout"/> has passed before that.</summary>
    internal bool WaitUntilEmpty(TimeSpan timeout)
    {
        var start = Stopwatch.GetTimestamp();
        lock (_gate)
        {
            // A full fence: either the last one to leave sees it, or the count is seen to be zero below.
            Interlocked.Exchange(ref _isAwaited, 1);
            while (Volatile.Read(ref _count) != 0)
            {
                var remaining = timeout - Stopwatch.GetElapsedTime(start);
                if (remaining <= TimeSpan.Zero)
                {
                    break;
                }

                Monitor.Wait(_gate, TimeSpan.FromMilliseconds(Math.Ceiling(Math.Min(remaining.TotalMilliseconds, int.MaxValue - 1))));
            }

            Interlocked.Exchange(ref _isAwaited, 0);
            return Volatile.Read(ref _count) == 0;
        }
    }
}
