namespace LoadTesting.Core.Load;

/// <summary>
/// One scenario's warm-up or measured load: its copies, its meters, its counters. The schedule runs on a thread of its own.
/// </summary>
internal sealed class ScenarioRun
{
    private readonly ConcurrentQueue<ScenarioInstance> _idle = new();
    private readonly TaskCompletionSource<ScenarioStats> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<string> _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _body;
    private readonly IterationLog _iterations;
    private readonly LoadOptions _options;
    private readonly List<ScenarioInstance> _instances = [];
    private ScheduleTally? _tally;
    private long _numbers;
    private long _startedLate;
    private int _failed;
    private string? _stopReason;
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
        HasSchedule = knowsSchedule && props.Model == LoadModel.Open;
        _iterations = new IterationLog(HasSchedule, InFlight);
        Listeners.Add(new AbortWatch(props, control.Stop).Look);
        Steps = new StepMeters(props.ScenarioName, HasSchedule);
        Wait = new PreciseWait(control.Gate, () => IsStopped);
        control.Add(this);
    }

    internal ScenarioProps Props { get; }
    internal string Name => Props.ScenarioName;
    internal ScenarioOperation Operation { get; }
    internal IReadOnlyList<LoadSimulation> Simulations { get; }

    /// <summary>How long its schedule lasts; null where a number of iterations ends a part of it.</summary>
    internal TimeSpan? PlannedDuration => LoadSimulation.DurationOf(Simulations);

    internal RunControl Control { get; }
    internal StepMeters Steps { get; }
    internal PreciseWait Wait { get; }
    internal DrainGate InFlight { get; } = new();
    internal CancellationToken BodyToken { get; }

    /// <summary>Whether it is known when iterations are to start.</summary>
    internal bool HasSchedule { get; }

    /// <summary>Are given each of its seconds once that is over.</summary>
    internal List<Action<LiveSecond>> Listeners { get; } = [];

    /// <summary>When it was to begin, in Stopwatch ticks, where several processes begin together; null where it begins when it is run.
    /// </summary>
    internal long? AgreedStart { get; set; }

    /// <summary>Whether nothing more is to start: the run was stopped, or this scenario alone.</summary>
    internal bool IsStopped => StopReason is not null;

    /// <summary>Why; null while it goes on.</summary>
    internal string? StopReason => Volatile.Read(ref _stopReason);

    /// <summary>Ends with the reason when the run or this scenario is stopped, if ever.</summary>
    internal Task<string> Stopped => _stopped.Task;

    internal int Seed => _options.Seed;
    internal TimeSpan CompletionTimeout => _options.CompletionTimeout;

    /// <summary>Iterations whose body was entered; each copy counts its own.</summary>
    internal long Started => Sum(instance => instance.InvocationNumber);

    /// <summary>Those of them that a deadline ends: they were asked for by starting.</summary>
    internal long StartedUntilDeadline => Sum(instance => instance.StartedUntilDeadline);

    /// <summary>Iterations asked for so far, with the one that the schedule waits for.</summary>
    internal long Asked => (Volatile.Read(ref _tally)?.Asked ?? 0) + StartedUntilDeadline;

    /// <summary>Iterations that were due so far and did not start.</summary>
    internal long DroppedUntilNow => Volatile.Read(ref _tally) is { } tally ? tally.DroppedInFlightLimit + tally.DroppedAfterStop : 0;

    internal long StartedLate => Volatile.Read(ref _startedLate);

    /// <summary>What it has come to by now, as far as that is counted at once.</summary>
    internal LiveCounts CountNow() => new(
        HasSchedule ? Asked : null, Started, DroppedUntilNow, InFlight.Count, _options.Refusals?.Invoke(Name));

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

    /// <summary>Nothing starts before <paramref name="timestamp"/>, when the first iteration is to; later calls say nothing.</summary>
    internal void BeginAt(long timestamp) => _iterations.BeginAt(timestamp);

    /// <summary>The first of so many numbers for iterations, which no other iteration gets.</summary>
    internal long TakeNumbers(long count) => Interlocked.Add(ref _numbers, count) - count;

    /// <summary>False when the run has been cut and nothing may start.</summary>
    internal bool MayBegin => !_isCut;

    internal void CountLateStart() => Interlocked.Increment(ref _startedLate);

    internal void Record(long start, long seenEnd, long lagTicks, IResponse response)
    {
        _iterations.Record(start, response.EndTimestamp ?? seenEnd, seenEnd, lagTicks, response);
        if (response.IsError && !BodyToken.IsCancellationRequested && Interlocked.Increment(ref _failed) > Props.MaxFailCount)
        {
            Control.Stop($"scenario '{Name}': {Props.MaxFailCount + 1L} failed iterations are more than "
                + $"WithMaxFailCount({Props.MaxFailCount}) allows; the last one: {response.StatusCode} {response.Message}");
        }
    }

    /// <summary>Adds up the seconds that are over, and stops the run where an abort rule says so.</summary>
    internal void EndSecond(long now)
    {
        foreach (var second in _iterations.Collect(now))
        {
            var live = second.ToLive(HasSchedule);
            Listeners.ForEach(listener => listener(live));
        }
    }

    internal ScenarioStats Complete(ScenarioStats result, LoadSamples samples)
    {
        var median = LatencyHistogram.MergeAll([result.Ok.Service, result.Fail.Service]).PercentileNanoseconds(50);
        var shortest = StallFinder.Medians * StopwatchTime.FromTimeSpan(TimeSpan.FromMicroseconds(median / 1000.0));
        var timeline = _iterations.Complete(_tally!, result.Dropped, UnfinishedStarts(result.Unfinished));
        return result with
        {
            Recorded = timeline,
            Samples = samples,
            Timeline = timeline.ToResult(null, samples),
            Stalls =
            [
                .. _iterations.Stalls(shortest).Select(stall => new StallResult(
                    StopwatchTime.ToMilliseconds(stall.From - _iterations.Origin), StopwatchTime.ToMilliseconds(stall.Length),
                    stall.InFlight, StallBlame.Of(stall, samples, _options.HealthLimits.SharesProcess))
                {
                    Waits = samples.WaitsAround(stall.From, stall.To),
                }),
            ],
        };
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

    /// <summary>Starts nothing more; the first reason stays. Whoever waits for the schedule has to be woken by the caller.</summary>
    internal void SetStopped(string reason)
    {
        if (Interlocked.CompareExchange(ref _stopReason, reason, null) is null)
        {
            _stopped.SetResult(reason);
            if (_options.CancelsAtScheduleEnd)
            {
                // Not here: this may be an iteration of its own.
                ThreadPool.UnsafeQueueUserWorkItem(static run => run.CancelBodies(), this, preferLocal: false);
            }
        }
    }

    /// <summary>What ends from now on is kept for intervals too, of so many Stopwatch ticks from <paramref name="start"/> on.</summary>
    internal void KeepIntervals(long start, long length)
    {
        _iterations.KeepIntervals(start, length);
        Steps.KeepsIntervals = true;
    }

    /// <summary>What ended in the intervals before that one and was not taken yet.</summary>
    internal MeterStripe TakeInterval(long before) => _iterations.TakeInterval(before);

    /// <summary>The schedule asks for nothing more.</summary>
    internal void EndSchedule()
    {
        if (_options.CancelsAtScheduleEnd && Simulations[^1] is not (IterationsForConstantSimulation or IterationsForInjectSimulation))
        {
            CancelBodies();
        }
    }

    /// <summary>Signals the bodies that their run is over. What fails in a callback of theirs does not end it.</summary>
    internal void CancelBodies()
    {
        try
        {
            _body.Cancel();
        }
        catch (Exception exception) when (exception is AggregateException or ObjectDisposedException)
        {
            // A body's own callback failed, or the run has ended meanwhile and nobody listens any more.
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
        LoadChain.Run(this, tally);
        return Conclude(tally);
    }

    /// <summary>Waits for what is still running, and closes the account. Nothing more may start.</summary>
    internal ScenarioStats Conclude(ScheduleTally tally)
    {
        using var body = _body;
        var isDrained = InFlight.WaitUntilEmpty(CompletionTimeout);
        _isCut = true;
        _tally = tally;
        var iterations = _iterations.Close(Stopwatch.GetTimestamp());
        var steps = Steps.InOrder().Select(step => (step.Name, step.Meter.Close())).ToArray();
        var result = new ScenarioOutcome(this, tally, isDrained, Stopwatch.GetTimestamp()).ToResult(iterations, steps);
        if (!isDrained)
        {
            CancelBodies();
        }

        return result;
    }

    /// <summary>When the copies that still run started their iterations; of as many as never ended.</summary>
    private long[] UnfinishedStarts(long count)
    {
        lock (_instances)
        {
            return [.. _instances.Where(instance => instance.IsRunning).Select(instance => instance.StartTimestamp).Order()
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

/// <summary>Turns what a scenario's run has gathered into its result.</summary>
internal sealed class ScenarioOutcome(ScenarioRun run, ScheduleTally tally, bool isDrained, long now)
{
    internal ScenarioStats ToResult(MeterStripe iterations, IReadOnlyList<(string Name, MeterStripe Meter)> steps)
    {
        // Read after the meters were closed: every measurement belongs to an iteration that is counted as started.
        var started = run.Started;
        var requested = Math.Max(tally.Asked + run.StartedUntilDeadline, started);
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
            PlannedDuration = run.PlannedDuration,
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
            Steps = [.. steps.Select(step => StepStats.From(step.Name, step.Meter, run.Props.Model, loaded))],
            Errors = iterations.Fail.Errors(),
            StopReason = run.StopReason,
        };
        return run.Operation == ScenarioOperation.WarmUp
            ? result
            : result with { Thresholds = [.. run.Props.Thresholds.Select(threshold => threshold.Evaluate(result))] };
    }

    private long End(long lastEnd, long started)
    {
        if (!isDrained || (started == 0 && tally.ScheduleEnd == 0))
        {
            return now;
        }

        return Math.Max(tally.Start, Math.Max(Math.Min(lastEnd, now), tally.ScheduleEnd));
    }
}

/// <summary>
/// Counts what is in flight and lets one thread wait until nothing is. An interlocked operation to enter and one to leave.
/// </summary>
internal sealed class DrainGate
{
    private readonly object _gate = new();
    private int _count;
    private int _resting;
    private int _isAwaited;
    private long _busySince;

    internal int Count => Volatile.Read(ref _count);

    /// <summary>Those of them that do not rest.</summary>
    internal int Busy => Count - Volatile.Read(ref _resting);

    /// <summary>When the number of those that do not rest last rose from zero, in Stopwatch ticks; 0 before the first.</summary>
    internal long BusySince => Volatile.Read(ref _busySince);

    internal void Enter() => Begin(Interlocked.Increment(ref _count) - Volatile.Read(ref _resting));

    /// <summary>One of them does nothing until <see cref="EndRest"/>: what does not complete meanwhile is no stall.</summary>
    internal void Rest() => Interlocked.Increment(ref _resting);

    internal void EndRest()
    {
        var resting = Interlocked.Decrement(ref _resting);
        Begin(Count - resting);
    }

    private void Begin(int busy)
    {
        if (busy == 1)
        {
            Volatile.Write(ref _busySince, Stopwatch.GetTimestamp());
        }
    }

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
