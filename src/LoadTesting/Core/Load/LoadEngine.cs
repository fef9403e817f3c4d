namespace LoadTesting.Core.Load;

/// <summary>
/// An external load engine that <see cref="LoadRunner"/> uses in place of its own. It alone decides when iterations start; what they
/// measure is recorded here, so that results do not depend on it.
/// </summary>
public interface ILoadEngine
{
    /// <summary>The name in results, such as "nbomber".</summary>
    string Name { get; }

    /// <summary>
    /// Loads all scenarios at the same time, by their simulations, and returns when it starts nothing more. Must end a scenario soon after
    /// <see cref="DrivenScenario.Over"/> has ended, and must not swallow its own errors.
    /// </summary>
    /// <param name="scenarios">At least one; their names are unique.</param>
    /// <param name="cancellationToken">Cancelled by the caller; <see cref="DrivenScenario.Over"/> ends as well.</param>
    /// <returns>What a reader of the results must know about this engine.</returns>
    /// <exception cref="NotSupportedException">A simulation that this engine does not have; the message names it.</exception>
    Task<IReadOnlyList<string>> DriveAsync(IReadOnlyList<DrivenScenario> scenarios, CancellationToken cancellationToken);

    /// <summary>A load in words, where this engine places its starts otherwise than the built-in one.</summary>
    string Describe(LoadSimulation simulation) => $"{simulation}";

    /// <summary>Sends a request through the engine's own client, if it has one.</summary>
    Task<HttpResponseMessage> SendAsync(HttpClient client, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.SendAsync(request, cancellationToken);
    }
}

/// <summary>Hands scenarios to an external load engine, and watches that it gets on.</summary>
internal static class DrivenLoad
{
    /// <exception cref="InvalidOperationException">The engine failed; the inner exception says how.</exception>
    internal static async Task<(ScenarioStats[] Results, IReadOnlyList<string> Notes)> RunAsync(
        ILoadEngine engine, IReadOnlyList<ScenarioRun> runs, RunControl control, LoadOptions options)
    {
        var scenarios = runs.Select(run => new DrivenScenario(run)).ToArray();
        using var ended = new CancellationTokenSource();
        var watch = WatchAsync(runs, control, options.CompletionTimeout, ended.Token);
        IReadOnlyList<string> notes;
        Task whenOver;
        try
        {
            var driving = engine.DriveAsync(scenarios, control.CancellationToken);
            await Task.WhenAny(driving, Task.WhenAll(scenarios.Select(scenario => scenario.Finished))).ConfigureAwait(false);
            whenOver = driving.IsFaulted ? Task.CompletedTask : options.WhenOver?.Invoke() ?? Task.CompletedTask;
            notes = await driving.ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not NotSupportedException
            && !(exception is OperationCanceledException && control.IsStopped))
        {
            control.Stop($"load engine '{engine.Name}' failed: {exception.Message}");
            CancelBodies(runs);
            throw new InvalidOperationException($"Load engine '{engine.Name}' failed: {exception.Message}", exception);
        }
        finally
        {
            await ended.CancelAsync().ConfigureAwait(false);
            await watch.ConfigureAwait(false);
        }

        await whenOver.ConfigureAwait(false);
        var results = await Task.WhenAll(scenarios.Select(scenario => Task.Run(() =>
            scenario.Conclude() with { Simulations = [.. scenario.Simulations.Select(engine.Describe)] }))).ConfigureAwait(false);
        return (results, notes);
    }

    private static void CancelBodies(IReadOnlyList<ScenarioRun> runs)
    {
        foreach (var run in runs)
        {
            run.CancelBodies();
        }
    }

    /// <summary>As in the built-in engine: a body that hangs must not hang the run.</summary>
    private static async Task WatchAsync(
        IReadOnlyList<ScenarioRun> runs, RunControl control, TimeSpan completionTimeout, CancellationToken ended)
    {
        using var timer = new PeriodicTimer(completionTimeout);
        var startedBefore = -1L;
        try
        {
            while (await timer.WaitForNextTickAsync(ended).ConfigureAwait(false))
            {
                var started = runs.Sum(run => run.Started);
                if (started == startedBefore && runs.Any(run => run.InFlight.Count > 0))
                {
                    control.Stop(
                        $"{runs.Sum(run => run.InFlight.Count)} iterations are running and none has started within the completion timeout "
                        + $"of {completionTimeout}; give the bodies a timeout of their own, or raise LoadOptions.CompletionTimeout");
                    CancelBodies(runs);
                    return;
                }

                startedBefore = started;
            }
        }
        catch (OperationCanceledException)
        {
            // The load has ended.
        }
    }
}

/// <summary>A scenario in the hands of an external load engine. Safe for concurrent use.</summary>
public sealed class DrivenScenario
{
    private readonly ScenarioRun _run;
    private readonly OperationQuota _quota;
    private long _firstStart;

    internal DrivenScenario(ScenarioRun run)
    {
        _run = run;
        var counted = run.Simulations.Select(OperationsOf).ToArray();
        if (counted.Any(operations => operations is not null) && counted.Any(operations => operations is null))
        {
            throw new NotSupportedException(
                $"Scenario '{Name}' has loads with a known number of iterations beside others ({string.Join("; ", run.Simulations)}), "
                + "which only the built-in engine can run; make two scenarios.");
        }

        Operations = counted[0] is null ? null : counted.Sum();
        _quota = new OperationQuota([.. counted.OfType<long>()]);
        Over = WaitUntilOverAsync();
    }

    /// <summary>The scenario; unique within the run.</summary>
    public string Name => _run.Name;

    /// <summary>The load. Simulations with a known number of iterations are never beside others.</summary>
    public IReadOnlyList<LoadSimulation> Simulations => _run.Simulations;

    /// <summary>Iterations of all simulations together; null where a time ends the load.</summary>
    public long? Operations { get; }

    /// <summary>
    /// Ends, with the reason, when nothing more is to start: the last operation has ended, or the run was stopped. Where a time ends the
    /// load and nothing stops it, never.
    /// </summary>
    public Task<string> Over { get; }

    /// <summary>
    /// Runs one iteration and records it, on the caller's thread until its first wait. Call it again and again, from as many copies as
    /// there are to be.
    /// </summary>
    /// <param name="host">Who else hears of its steps.</param>
    /// <returns>How it ended; null where there was nothing left to start, for which it may have waited until the others had
    /// ended.</returns>
    public async Task<IResponse?> RunIterationAsync(IStepHost? host = null)
    {
        if (!await _quota.ClaimAsync(_run.Stopped).ConfigureAwait(false))
        {
            return null;
        }

        var instance = _run.Rent();
        try
        {
            Begin();
            return await instance.RunOnceAsync(host).ConfigureAwait(false);
        }
        finally
        {
            _run.Return(instance);
            _quota.End();
        }
    }

    /// <summary>Ends when the last operation has ended; never, where a time ends the load.</summary>
    internal Task Finished => _quota.Finished;

    /// <summary>Iterations whose body was entered so far.</summary>
    public long Started => _run.Started;

    /// <summary>
    /// What was measured, when the engine has ended. Time begins with the first iteration: what the engine did before is not load.
    /// </summary>
    internal ScenarioStats Conclude()
    {
        var tally = new ScheduleTally(_firstStart == 0 ? Stopwatch.GetTimestamp() : _firstStart) { Asked = Operations ?? Asked() };
        if (_run.Props.Model == LoadModel.Open && !_run.IsStopped && _firstStart != 0)
        {
            tally.EndAt(PlannedEnd());
        }

        if (_run.IsStopped)
        {
            tally.DroppedAfterStop = Math.Max(0, tally.Asked - Started);
        }

        return _run.Conclude(tally);
    }

    /// <summary>Iterations of a load with a known number of them; null where a time ends it.</summary>
    internal static long? OperationsOf(LoadSimulation simulation) => simulation switch
    {
        IterationsForConstantSimulation constant => constant.Iterations,
        IterationsForInjectSimulation inject => inject.Iterations,
        _ => null,
    };

    /// <summary>
    /// What an open load asks for. A closed one asks for what it starts, and what ramps and random rates come to is up to the engine.
    /// </summary>
    private long Asked()
    {
        var open = _run.Simulations.OfType<OpenSimulation>().ToArray();
        return open.All(simulation => simulation is InjectSimulation)
            ? open.Sum(simulation => (long)Math.Round(simulation.During / simulation.MeanGap))
            : 0;
    }

    private void Begin()
    {
        var now = Stopwatch.GetTimestamp();
        _run.BeginAt(now);
        if (Interlocked.CompareExchange(ref _firstStart, now, 0) != 0
            && _run.Props.Model == LoadModel.Open
            && now > PlannedEnd() + StopwatchTime.FromTimeSpan(_run.Simulations.OfType<OpenSimulation>().Max(s => s.Interval)))
        {
            // An engine may spread the arrivals of an interval over it as it likes.
            _run.CountLateStart();
        }
    }

    private long PlannedEnd() =>
        _firstStart + _run.Simulations.Sum(simulation => StopwatchTime.FromTimeSpan(simulation.PlannedDuration ?? TimeSpan.Zero));

    private async Task<string> WaitUntilOverAsync()
    {
        var stopped = _run.Stopped;
        return await Task.WhenAny(_quota.Finished, stopped).ConfigureAwait(false) == stopped
            ? await stopped.ConfigureAwait(false)
            : $"all {Operations} operations of '{Name}' have ended";
    }
}

/// <summary>
/// Hands out the operations of loads with a known number, one load after the other: the first operation of a load starts when the last one
/// of the load before it has ended. Empty where a time ends the load: then there is always one more.
/// </summary>
internal sealed class OperationQuota(IReadOnlyList<long> loads)
{
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _finished = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource _loadEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _load;
    private long _claimed;
    private long _ended;

    /// <summary>Ends when the last operation has ended; never, where a time ends the load.</summary>
    internal Task Finished => _finished.Task;

    /// <summary>
    /// True where an operation may start; false where none is left. Waits for the end of a load whose operations are all under way, or for
    /// <paramref name="stopped"/>.
    /// </summary>
    internal async ValueTask<bool> ClaimAsync(Task stopped)
    {
        while (!stopped.IsCompleted)
        {
            Task ended;
            lock (_gate)
            {
                if (loads.Count == 0)
                {
                    return true;
                }

                if (_load == loads.Count)
                {
                    return false;
                }

                if (_claimed < loads[_load])
                {
                    _claimed++;
                    return true;
                }

                ended = _loadEnded.Task;
            }

            await Task.WhenAny(ended, stopped).ConfigureAwait(false);
        }

        return false;
    }

    /// <summary>A claimed operation has ended.</summary>
    internal void End()
    {
        TaskCompletionSource? ended = null;
        var isFinished = false;
        lock (_gate)
        {
            if (loads.Count > 0 && ++_ended == loads[_load])
            {
                ended = _loadEnded;
                _loadEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
                (_claimed, _ended) = (0, 0);
                isFinished = ++_load == loads.Count;
            }
        }

        ended?.SetResult();
        if (isFinished)
        {
            _finished.SetResult();
        }
    }
}
