using System.Diagnostics;

namespace LoadTesting.Core.Load;

/// <summary>A scenario in the hands of a load engine of elsewhere. Safe for concurrent use.</summary>
public sealed class DrivenScenario
{
    private readonly ScenarioRun _run;
    private readonly OperationBook _book;
    private long _firstStart;

    internal DrivenScenario(ScenarioRun run)
    {
        _run = run;
        var counted = run.Simulations.Select(OperationsOf).ToArray();
        if (counted.Any(operations => operations is not null) && counted.Any(operations => operations is null))
        {
            throw new NotSupportedException(
                $"Scenario '{Name}' has loads with a known number of iterations beside others ({string.Join("; ", run.Simulations)}), which only the built-in engine can run; make two scenarios.");
        }

        Operations = counted[0] is null ? null : counted.Sum();
        _book = new OperationBook([.. counted.OfType<long>()]);
        Over = WaitUntilOverAsync();
    }

    /// <summary>The scenario; unique within the run.</summary>
    public string Name => _run.Name;

    /// <summary>The load. Simulations with a known number of iterations are never beside others.</summary>
    public IReadOnlyList<LoadSimulation> Simulations => _run.Simulations;

    /// <summary>Iterations of all simulations together; null where a time ends the load.</summary>
    public long? Operations { get; }

    /// <summary>Ends, with the reason in words, when nothing more is to start: the last operation has ended, or the run was stopped. Where a time ends the
    /// load and nothing stops it, never.</summary>
    public Task<string> Over { get; }

    /// <summary>
    /// Runs one iteration and records it, on the caller's thread until its first wait. Call it again and again, from as many copies as there are to be.
    /// </summary>
    /// <param name="host">Who else hears of its steps.</param>
    /// <returns>How it ended; null where there was nothing left to start, for which it may have waited until the others had ended.</returns>
    public async Task<IResponse?> RunIterationAsync(IStepHost? host = null)
    {
        if (!await _book.ClaimAsync(_run.Control.Stopped).ConfigureAwait(false))
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
            _book.End();
        }
    }

    /// <summary>Ends when the last operation has ended; never, where a time ends the load.</summary>
    internal Task Finished => _book.Finished;

    /// <summary>Iterations whose body was entered so far.</summary>
    public long Started => _run.Started;

    /// <summary>What was measured, when the engine has ended. Time begins with the first iteration: what the engine did before is not load.</summary>
    internal ScenarioStats Conclude()
    {
        var tally = new ScheduleTally(_firstStart == 0 ? Stopwatch.GetTimestamp() : _firstStart) { Asked = Operations ?? Asked() };
        if (_run.Props.Model == LoadModel.Open && !_run.Control.IsStopped && _firstStart != 0)
        {
            tally.EndAt(PlannedEnd());
        }

        if (_run.Control.IsStopped)
        {
            tally.DroppedAfterStop = Math.Max(0, tally.Asked - Started);
        }

        return _run.Conclude(tally);
    }

    private static long? OperationsOf(LoadSimulation simulation) => simulation switch
    {
        IterationsForConstantSimulation constant => constant.Iterations,
        IterationsForInjectSimulation inject => inject.Iterations,
        _ => null,
    };

    /// <summary>What an open load asks for. A closed one asks for what it starts, and what ramps and random rates come to is up to the engine.</summary>
    private long Asked()
    {
        var open = _run.Simulations.OfType<OpenSimulation>().ToArray();
        return open.All(simulation => simulation is InjectSimulation) ? open.Sum(simulation => (long)Math.Round(simulation.During / simulation.MeanGap)) : 0;
    }

    private void Begin()
    {
        var now = Stopwatch.GetTimestamp();
        if (Interlocked.CompareExchange(ref _firstStart, now, 0) == 0)
        {
            _run.Gaps.Restart(now, _run.Simulations.OfType<ClosedSimulation>().Select(simulation => simulation.Copies).DefaultIfEmpty(1).Max());
        }
        else if (_run.Props.Model == LoadModel.Open && now > PlannedEnd() + StopwatchTime.FromTimeSpan(_run.Simulations.OfType<OpenSimulation>().Max(s => s.Interval)))
        {
            // An engine may spread the arrivals of an interval over it as it likes.
            _run.CountLateStart();
        }
    }

    private long PlannedEnd() => _firstStart + _run.Simulations.Sum(simulation => StopwatchTime.FromTimeSpan(simulation.PlannedDuration ?? TimeSpan.Zero));

    private async Task<string> WaitUntilOverAsync()
    {
        var stopped = _run.Control.Stopped;
        return await Task.WhenAny(_book.Finished, stopped).ConfigureAwait(false) == stopped
            ? await stopped.ConfigureAwait(false)
            : $"all {Operations} operations of '{Name}' have ended";
    }
}
