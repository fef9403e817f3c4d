namespace LoadTesting.Core.Load;

/// <summary>
/// One scenario's warm-up or measured load: its copies, meters and counters. The schedule runs on a dedicated thread.
/// </summary>
internal sealed class ScenarioRun
{
    private readonly ConcurrentQueue<ScenarioInstance> _idle = new();
    private readonly TaskCompletionSource<ScenarioStats> _completion =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<string> _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _body;
    private readonly IterationLog _iterations;
    private readonly LoadOptions _options;
    private readonly List<ScenarioInstance> _instances = [];
    private ScheduleTally? _tally;
    private long _numbers;
    private long _startedLate;
    private long _leftByStop;
    private int _failed;
    private string? _stopReason;
    private volatile bool _isCut;
    private volatile Exception? _fault;

    /// <param name="props">The scenario.</param>
    /// <param name="operation">Warm-up or measurement.</param>
    /// <param name="options">Settings.</param>
    /// <param name="control">Shared by all scenarios of the run.</param>
    /// <param name="knowsSchedule">False if an external engine starts the iterations and does not report intended
    /// starts.</param>
    internal ScenarioRun(
        ScenarioProps props, ScenarioOperation operation, LoadOptions options, RunControl control,
        bool knowsSchedule = true)
    {
        (Props, Operation, Control, _options) = (props, operation, control, options);
        Simulations = operation == ScenarioOperation.WarmUp
            ? [props.LoadSimulations.First(simulation => simulation.Model is not null).For(props.WarmUpDuration!.Value)]
            : props.LoadSimulations;
        _body = CancellationTokenSource.CreateLinkedTokenSource(control.CancellationToken);
        BodyToken = _body.Token;
        HasSchedule = knowsSchedule && props.Model == LoadModel.Open;
        _iterations = new IterationLog(HasSchedule, InFlight);
        Listeners.Add(new AbortWatch(props, control.Stop).Check);
        Steps = new StepMeters(props.ScenarioName, HasSchedule);
        Wait = new PreciseWait(control.Gate, () => IsStopped);
        control.Add(this);
    }

    internal ScenarioProps Props { get; }
    internal string Name => Props.ScenarioName;
    internal ScenarioOperation Operation { get; }
    internal IReadOnlyList<LoadSimulation> Simulations { get; }

    /// <summary>Duration of the schedule; null if a simulation ends after a number of iterations.</summary>
    internal TimeSpan? PlannedDuration => LoadSimulation.DurationOf(Simulations);

    internal RunControl Control { get; }
    internal StepMeters Steps { get; }
    internal PreciseWait Wait { get; }
    internal DrainGate InFlight { get; } = new();
    internal CancellationToken BodyToken { get; }

    /// <summary>Whether the intended starts of iterations are known.</summary>
    internal bool HasSchedule { get; }

    /// <summary>Called with each second when it is over.</summary>
    internal List<Action<LiveSecond>> Listeners { get; } = [];

    /// <summary>The start that several processes agreed on, in Stopwatch ticks; null to start at once.</summary>
    internal long? AgreedStart { get; set; }

    /// <summary>Whether the run, or this scenario alone, was stopped: no more iterations start.</summary>
    internal bool IsStopped => StopReason is not null;

    /// <summary>Why the scenario was stopped; null if it was not.</summary>
    internal string? StopReason => Volatile.Read(ref _stopReason);

    /// <summary>Completes with the reason when the run or this scenario is stopped.</summary>
    internal Task<string> Stopped => _stopped.Task;

    internal int Seed => _options.Seed;
    internal TimeSpan CompletionTimeout => _options.CompletionTimeout;

    /// <summary>Iterations whose body was entered. Each copy counts its own.</summary>
    internal long Started => Sum(instance => instance.InvocationNumber);

    /// <summary>Started iterations of loads that end at a deadline: each was requested by starting.</summary>
    internal long StartedUntilDeadline => Sum(instance => instance.StartedUntilDeadline);

    /// <summary>When the latest iteration started, in Stopwatch ticks; 0 before the first.</summary>
    internal long LastStart
    {
        get
        {
            lock (_instances)
            {
                return _instances.Max(instance => (long?)instance.StartTimestamp) ?? 0;
            }
        }
    }

    /// <summary>
    /// Whether the completion timeout has passed already: the run does not wait for running iterations again.
    /// </summary>
    internal bool HasTimedOut { get; set; }

    /// <summary>Iterations requested so far, including the one that the schedule waits for.</summary>
    internal long Requested => (Volatile.Read(ref _tally)?.Requested ?? 0) + StartedUntilDeadline;

    /// <summary>Iterations that were due and did not start.</summary>
    internal long DroppedUntilNow => Volatile.Read(ref _tally) is { } tally
        ? tally.DroppedInFlightLimit + tally.DroppedAfterStop + LeftByStop
        : 0;

    internal long StartedLate => Volatile.Read(ref _startedLate);

    /// <summary>Arrivals that were due before the stop and got no thread until then.</summary>
    internal long LeftByStop => Volatile.Read(ref _leftByStop);

    /// <summary>The counts of the running load, the second that is not over included.</summary>
    /// <param name="errors">Failures by status code, of the seconds that are over.</param>
    internal LoadCounts CountNow(IReadOnlyDictionary<string, long> errors)
    {
        var (completed, failed) = _iterations.CountEnded();
        return new(
            HasSchedule ? Requested : null, Started, completed, failed, CountRefused(errors), DroppedUntilNow, errors);
    }

    /// <summary>Iterations that the system refused: counted by the caller's function, or else by status code.</summary>
    /// <param name="errors">Failures by status code.</param>
    internal long CountRefused(IReadOnlyDictionary<string, long> errors) =>
        _options.Refusals?.Invoke(Name) ?? errors.GetValueOrDefault("429") + errors.GetValueOrDefault("503");

    /// <summary>Runs the load on a dedicated thread.</summary>
    internal Task<ScenarioStats> RunAsync()
    {
        new Thread(RunOnOwnThread)
        {
            IsBackground = true, Name = $"load-{Name}", Priority = ThreadPriority.AboveNormal,
        }.Start();
        return _completion.Task;
    }

    /// <summary>Takes an idle copy, or a new one. It counts as in flight until it is returned.</summary>
    internal ScenarioInstance Rent()
    {
        InFlight.Enter();
        if (_idle.TryDequeue(out var idle))
        {
            return idle;
        }

        lock (_instances)
        {
            var instance = new ScenarioInstance(this, _instances.Count);
            _instances.Add(instance);
            return instance;
        }
    }

    internal void Return(ScenarioInstance instance)
    {
        _idle.Enqueue(instance);
        InFlight.Leave();
    }

    /// <summary>Sets the intended start of the first iteration. Only the first call has an effect.</summary>
    internal void BeginAt(long timestamp) => _iterations.BeginAt(timestamp);

    /// <summary>Reserves consecutive iteration numbers and returns the first.</summary>
    internal long TakeNumbers(long count) => Interlocked.Add(ref _numbers, count) - count;

    /// <summary>False after the run was cut: no iteration may start.</summary>
    internal bool MayBegin => !_isCut;

    internal void CountLateStart() => Interlocked.Increment(ref _startedLate);

    internal void CountLeftByStop() => Interlocked.Increment(ref _leftByStop);

    internal void Record(long start, long seenEnd, long lagTicks, IResponse response)
    {
        _iterations.Record(start, response.EndTimestamp ?? seenEnd, seenEnd, lagTicks, response);
        if (response.IsError && !BodyToken.IsCancellationRequested
            && Interlocked.Increment(ref _failed) > Props.MaxFailCount)
        {
            Control.Stop($"scenario '{Name}': {Props.MaxFailCount + 1L} failed iterations are more than "
                + $"WithMaxFailCount({Props.MaxFailCount}) allows; the last one: {response.StatusCode} {response.Message}");
        }
    }

    /// <summary>Adds up the seconds that are over and passes them to the listeners.</summary>
    internal void EndSecond(long now)
    {
        foreach (var second in _iterations.Collect(now))
        {
            Listeners.ForEach(listener => listener(second));
        }
    }

    /// <summary>Adds what is known only once sampling has ended.</summary>
    /// <param name="result">What <see cref="Conclude"/> measured.</param>
    /// <param name="samples">The samples of the load.</param>
    /// <param name="warmUp">What the warm-up measured; null if there was none.</param>
    internal ScenarioStats Complete(ScenarioStats result, LoadSamples samples, ScenarioStats? warmUp = null)
    {
        var timeline = _iterations.Complete(_tally!, result.Dropped, UnfinishedStarts(result.Unfinished));
        return result with
        {
            Recorded = timeline,
            Samples = samples,
            Timeline = timeline.ToResult(null, samples),
            Stalls = [.. _iterations.Stalls(StopwatchTime.FromTimeSpan(result.ShortestStall)).Select(Found)],
            Gaps =
            [
                .. _iterations.Stalls(Stopwatch.Frequency).OrderByDescending(gap => gap.Length)
                    .Take(ScenarioStats.MostGaps)
                    .OrderBy(gap => gap.From).Select(Found),
            ],
            Thresholds = Operation == ScenarioOperation.WarmUp
                ? []
                : [.. Props.Thresholds.Select(threshold => threshold.Evaluate(result))],
            WarmUp = warmUp,
        };

        StallResult Found(Stall stall) => new(
            StopwatchTime.ToMilliseconds(stall.From - _iterations.Origin), StopwatchTime.ToMilliseconds(stall.Length),
            stall.InFlight, StallBlame.Of(stall, samples, _options.HealthLimits.SharesProcess))
        {
            Waits = samples.WaitsAround(stall.From, stall.To),
        };
    }

    /// <summary>The engine itself failed. The run ends with this exception.</summary>
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

    /// <summary>
    /// Stops the scenario. The first reason is kept. The caller must wake the threads that wait for the schedule.
    /// </summary>
    internal void SetStopped(string reason)
    {
        if (Interlocked.CompareExchange(ref _stopReason, reason, null) is null)
        {
            _stopped.SetResult(reason);
            if (_options.CancelsAtScheduleEnd)
            {
                // On another thread: the caller may be an iteration of this scenario.
                ThreadPool.UnsafeQueueUserWorkItem(static run => run.CancelBodies(), this, preferLocal: false);
            }
        }
    }

    /// <summary>Also sums iterations that end from now on by interval.</summary>
    /// <param name="start">Beginning of the first interval, in Stopwatch ticks.</param>
    /// <param name="length">Length of an interval, in Stopwatch ticks.</param>
    internal void KeepIntervals(long start, long length)
    {
        _iterations.KeepIntervals(start, length);
        Steps.KeepsIntervals = true;
    }

    /// <summary>The sum of the intervals before the given one that were not taken yet.</summary>
    internal Meter TakeInterval(long before) => _iterations.TakeInterval(before);

    /// <summary>The schedule has ended.</summary>
    internal void EndSchedule()
    {
        if (_options.CancelsAtScheduleEnd
            && Simulations[^1] is not (IterationsForConstantSimulation or IterationsForInjectSimulation))
        {
            CancelBodies();
        }
    }

    /// <summary>Cancels the bodies' token. Exceptions of callbacks are ignored.</summary>
    internal void CancelBodies()
    {
        try
        {
            _body.Cancel();
        }
        catch (Exception exception) when (exception is AggregateException or ObjectDisposedException)
        {
            // A callback of a body failed, or the run has ended meanwhile.
        }
    }

    private ScenarioStats RunSimulations()
    {
        var tally = new ScheduleTally(AgreedStart ?? Stopwatch.GetTimestamp());
        if (AgreedStart is { } agreed)
        {
            BeginAt(agreed);
        }

        Volatile.Write(ref _tally, tally);
        new LoadChain(this, tally).Run();
        return Conclude(tally);
    }

    /// <summary>Waits for running iterations and builds the result. No more iterations may start.</summary>
    /// <param name="tally">The account of the schedule.</param>
    /// <param name="describe">Says what was run of a simulation. Null (the default) for the simulation's own
    /// text.</param>
    internal ScenarioStats Conclude(ScheduleTally tally, Func<LoadSimulation, string>? describe = null)
    {
        using var body = _body;
        var isDrained = InFlight.WaitUntilEmpty(HasTimedOut ? TimeSpan.Zero : CompletionTimeout);
        _isCut = true;
        _tally = tally;
        var iterations = _iterations.Close(Stopwatch.GetTimestamp());
        var result = ResultOf(tally, iterations, Steps.Close(), isDrained, describe);
        if (!isDrained)
        {
            CancelBodies();
        }

        return result;
    }

    private ScenarioStats ResultOf(
        ScheduleTally tally, Meter iterations, IReadOnlyList<(string Name, Meter Meter)> steps, bool isDrained,
        Func<LoadSimulation, string>? describe)
    {
        // Read after the meters were closed: every measurement belongs to an iteration that is counted as started.
        var started = Started;
        var requested = Math.Max(tally.Requested + tally.NotDue + StartedUntilDeadline, started);
        var duration = StopwatchTime.ToTimeSpan(EndOf(tally, iterations.LastEnd, started, isDrained) - tally.Start);
        var paused = StopwatchTime.ToTimeSpan(tally.Paused);
        var loaded = duration - paused;
        var ended = iterations.Ok.Count + iterations.Fail.Count;
        return new ScenarioStats
        {
            Name = Name,
            Model = Props.Model,
            Simulations = [.. Simulations.Select(describe ?? (simulation => simulation.ToString()))],
            PlannedDuration = PlannedDuration,
            Duration = duration,
            Paused = paused,
            Requested = requested,
            Started = started,
            Dropped = requested - started,
            DroppedInFlightLimit = tally.DroppedInFlightLimit,
            DroppedAfterStop = Math.Min(tally.DroppedAfterStop + tally.NotDue + LeftByStop, requested - started),
            NotDue = tally.NotDue,
            Unfinished = started - ended,
            StartedLate = StartedLate,
            Ok = iterations.Ok.ToResult(Props.Model, ended, loaded),
            Fail = iterations.Fail.ToResult(Props.Model, ended, loaded),
            ScheduleLag = iterations.ScheduleLag,
            Steps = [.. steps.Select(step => StepStats.From(step.Name, step.Meter, Props.Model, loaded))],
            Errors = iterations.Fail.Errors(),
            StopReason = StopReason,
        };
    }

    private static long EndOf(ScheduleTally tally, long lastEnd, long started, bool isDrained)
    {
        var now = Stopwatch.GetTimestamp();
        return !isDrained || (started == 0 && tally.ScheduleEnd == 0)
            ? now
            : Math.Max(tally.Start, Math.Max(Math.Min(lastEnd, now), tally.ScheduleEnd));
    }

    /// <summary>The starts of iterations that never ended.</summary>
    private long[] UnfinishedStarts(long count)
    {
        lock (_instances)
        {
            return [.. _instances.Where(instance => instance.IsRunning).Select(instance => instance.StartTimestamp)
                .Order()
                .Concat(Enumerable.Repeat(_iterations.Origin, (int)Math.Min(count, int.MaxValue))).Take((int)count)];
        }
    }

    private long Sum(Func<ScenarioInstance, long> count)
    {
        lock (_instances)
        {
            return _instances.Sum(count);
        }
    }
}
