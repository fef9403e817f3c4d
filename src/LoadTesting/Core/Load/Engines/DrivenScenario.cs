namespace LoadTesting.Core.Load.Engines;

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
                $"Scenario '{Name}' has loads with a known number of iterations beside others "
                    + $"({string.Join("; ", run.Simulations)}), "
                + "which only the built-in engine can run; make two scenarios.");
        }

        Operations = counted[0] is null ? null : counted.Sum();
        _quota = new OperationQuota([.. counted.OfType<long>()]);
        Over = WaitUntilOverAsync();
    }

    /// <summary>The scenario; unique within the run.</summary>
    public string Name => _run.Name;

    /// <summary>The load. Simulations with a fixed number of iterations are never combined with others.</summary>
    public IReadOnlyList<LoadSimulation> Simulations => _run.Simulations;

    /// <summary>Iterations of all simulations together; null if the load ends after a time.</summary>
    public long? Operations { get; }

    /// <summary>
    /// Completes with the reason when no more iterations may start: the last one has ended, or the run was stopped.
    /// Never completes if the load ends after a time and nothing stops it.
    /// </summary>
    public Task<string> Over { get; }

    /// <summary>
    /// Runs one iteration and records it, on the caller's thread until its first wait. Call it repeatedly from each
    /// copy.
    /// </summary>
    /// <param name="host">Runs its steps; null to run them directly.</param>
    /// <returns>The response; null if no iteration was left to start, possibly after waiting for others to
    /// end.</returns>
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

    /// <summary>Completes when the last iteration has ended; never if the load ends after a time.</summary>
    internal Task Finished => _quota.Finished;

    /// <summary>Iterations whose body was entered so far.</summary>
    public long Started => _run.Started;

    /// <summary>
    /// The measurements after the engine has ended. Time begins with the first iteration, so that the engine's
    /// preparation is not load.
    /// </summary>
    /// <param name="describe">Says what the engine ran of a simulation.</param>
    internal ScenarioStats Conclude(Func<LoadSimulation, string> describe)
    {
        var tally = new ScheduleTally(_firstStart == 0 ? Stopwatch.GetTimestamp() : _firstStart)
        {
            Requested = Operations ?? CountIntended(),
        };
        if (_run.Props.Model == LoadModel.Open && !_run.IsStopped && _firstStart != 0)
        {
            tally.EndAt(PlannedEnd());
        }

        if (_run.IsStopped)
        {
            tally.DroppedAfterStop = Math.Max(0, tally.Requested - Started);
        }

        return _run.Conclude(tally, describe);
    }

    /// <summary>The fixed number of iterations of a simulation; null if it ends after a time.</summary>
    internal static long? OperationsOf(LoadSimulation simulation) => simulation switch
    {
        IterationsForConstantSimulation constant => constant.Iterations,
        IterationsForInjectSimulation inject => inject.Iterations,
        _ => null,
    };

    /// <summary>
    /// Iterations that an open load requests. A closed load requests what it starts; the number for ramps and random
    /// rates is up to the engine. Both return 0.
    /// </summary>
    private long CountIntended()
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
            && now > PlannedEnd()
                + StopwatchTime.FromTimeSpan(_run.Simulations.OfType<OpenSimulation>().Max(s => s.Interval)))
        {
            // An engine may place arrivals anywhere in their interval.
            _run.CountLateStart();
        }
    }

    private long PlannedEnd() =>
        _firstStart + _run.Simulations.Sum(simulation =>
            StopwatchTime.FromTimeSpan(simulation.PlannedDuration ?? TimeSpan.Zero));

    private async Task<string> WaitUntilOverAsync()
    {
        var stopped = _run.Stopped;
        return await Task.WhenAny(_quota.Finished, stopped).ConfigureAwait(false) == stopped
            ? await stopped.ConfigureAwait(false)
            : $"all {Operations} operations of '{Name}' have ended";
    }
}
