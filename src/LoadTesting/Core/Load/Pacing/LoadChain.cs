namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// Runs the simulations of a scenario one after the other, on the scenario's own thread. In the open model arrivals are
/// queued to the thread pool when they are due, so that no body can delay them; in the closed model copies each start
/// their next iteration when the one before has ended.
/// </summary>
internal sealed class LoadChain(ScenarioRun run, ScheduleTally tally)
{
    private static readonly TimeSpan s_stopCheck = TimeSpan.FromMilliseconds(50);

    internal void Run()
    {
        for (var index = 0; index < run.Simulations.Count; index++)
        {
            switch (run.Simulations[index])
            {
                case PauseSimulation pause:
                    Pause(pause);
                    break;
                case OpenSimulation open:
                    RunArrivals(open);
                    break;
                case IterationsForConstantSimulation number:
                    RunIterations(number);
                    break;
                case ClosedSimulation:
                    var stretch = run.Simulations.Skip(index).TakeWhile(IsClosedUntilDeadline)
                        .Cast<ClosedSimulation>().ToArray();
                    index += stretch.Length - 1;
                    RunUntilDeadline(stretch, run.Simulations.ElementAtOrDefault(index + 1));
                    break;
                case var other:
                    throw new NotSupportedException($"There is no load of kind {other.GetType().Name}.");
            }
        }

        run.EndSchedule();
    }

    private static bool IsClosedUntilDeadline(LoadSimulation simulation) =>
        simulation is ClosedSimulation { PlannedDuration: not null };

    private void Pause(PauseSimulation pause)
    {
        var start = tally.NextStart;
        var end = start + StopwatchTime.FromTimeSpan(pause.During);
        var quietSince = WaitUntilQuiet(start, end);
        var ended = run.Wait.Until(end) ? end : Math.Min(end, Stopwatch.GetTimestamp());
        tally.Paused += Math.Max(0, ended - quietSince);
        tally.EndAt(ended);
    }

    /// <summary>
    /// When the last iteration in flight ended; <paramref name="end"/> if some were in flight until then. A stop ends
    /// the wait after at most 50 ms.
    /// </summary>
    private long WaitUntilQuiet(long start, long end)
    {
        while (run.InFlight.Count > 0 && !run.IsStopped)
        {
            var remaining = StopwatchTime.ToTimeSpan(end - Stopwatch.GetTimestamp());
            if (remaining <= TimeSpan.Zero)
            {
                return end;
            }

            run.InFlight.WaitUntilEmpty(remaining < s_stopCheck ? remaining : s_stopCheck);
        }

        return run.InFlight.Count > 0 ? end : Math.Max(start, Stopwatch.GetTimestamp());
    }

    private void RunArrivals(OpenSimulation simulation)
    {
        var schedule = ArrivalSchedule.Create(simulation);
        var start = tally.NextStart;
        var end = start + StopwatchTime.FromTimeSpan(simulation.During);
        var windowEnd = end + ToleranceOf(simulation);
        while (schedule.TryNext(out var offset))
        {
            tally.Requested++;
            run.BeginAt(start + offset);
            if (!run.Wait.Until(start + offset))
            {
                tally.DropAfterStop(notDue: schedule.CountLeft());
                break;
            }

            if (run.InFlight.Count >= run.Props.MaxInFlight)
            {
                tally.DropInFlightLimit(start + offset);
            }
            else
            {
                run.Rent().QueueOpen(start + offset, windowEnd);
            }
        }

        tally.EndAt(run.Wait.Until(end) ? end : Math.Min(end, Stopwatch.GetTimestamp()));
    }

    /// <summary>
    /// An arrival at the very end may start a mean gap later (at least 10 ms) without counting as late.
    /// </summary>
    private static long ToleranceOf(OpenSimulation simulation) => Math.Max(
        StopwatchTime.FromTimeSpan(simulation.MeanGap), StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(10)));

    private void RunIterations(IterationsForConstantSimulation simulation)
    {
        var work = ClosedWork.Of(simulation.Iterations, run.TakeNumbers(simulation.Iterations));
        tally.Requested += simulation.Iterations;
        if (!run.IsStopped)
        {
            run.BeginAt(Stopwatch.GetTimestamp());
            SetCopies(work, 0, simulation.Copies);
            WaitForCopies(simulation, mustProgress: true);
        }

        tally.DroppedAfterStop += simulation.Iterations - work.Claimed;
        tally.ContinueAt(Stopwatch.GetTimestamp());
    }

    /// <summary>
    /// Runs consecutive closed simulations as one: copies continue from one to the next, so that a change of level
    /// leaves no gap in the load. Arrivals that follow have a schedule and do not wait for the last iterations of the
    /// copies. At the end of the load the run waits for them together with everything else that is still running.
    /// </summary>
    private void RunUntilDeadline(IReadOnlyList<ClosedSimulation> simulations, LoadSimulation? next)
    {
        if (run.IsStopped)
        {
            return;
        }

        // Copies of an earlier simulation may have run longer than its pause.
        var start = Math.Max(tally.NextStart, Stopwatch.GetTimestamp());
        var deadline =
            start + simulations.Sum(simulation => StopwatchTime.FromTimeSpan(simulation.PlannedDuration!.Value));
        var work = ClosedWork.Until(deadline);
        run.BeginAt(start);
        FollowLevels(work, simulations, start);
        tally.EndAt(run.Wait.Until(deadline) ? deadline : Math.Min(deadline, Stopwatch.GetTimestamp()));
        if (next is not (null or OpenSimulation))
        {
            WaitForCopies(simulations[^1], mustProgress: false);
        }
    }

    private void FollowLevels(ClosedWork work, IReadOnlyList<ClosedSimulation> simulations, long start)
    {
        var copies = 0;
        foreach (var simulation in simulations)
        {
            if (!run.Wait.Until(start))
            {
                return;
            }

            foreach (var level in CopySchedule.Of(simulation))
            {
                if (!run.Wait.Until(start + level.Offset))
                {
                    return;
                }

                SetCopies(work, copies, level.Copies);
                copies = level.Copies;
            }

            start += StopwatchTime.FromTimeSpan(simulation.PlannedDuration!.Value);
        }
    }

    private void SetCopies(ClosedWork work, int from, int to)
    {
        for (var copy = from; copy < to; copy++)
        {
            if (!work.TryKeep())
            {
                run.Rent().QueueClosed(work);
            }
        }

        work.Retire(Math.Max(0, from - to));
    }

    /// <summary>
    /// A number of iterations may take any time as long as one of them starts within each completion timeout; without
    /// that rule a body that hangs would hang the run.
    /// </summary>
    private void WaitForCopies(LoadSimulation simulation, bool mustProgress)
    {
        var (since, next) = (0L, Stopwatch.GetTimestamp());
        while (next > since)
        {
            since = next;
            if (run.InFlight.WaitUntilEmpty(run.CompletionTimeout - Stopwatch.GetElapsedTime(since)))
            {
                return;
            }

            next = mustProgress ? run.LastStart : since;
        }

        run.HasTimedOut = true;
        run.Control.Stop(
            $"scenario '{run.Name}': {run.InFlight.Count} copies of '{simulation}' did not end within the completion timeout of "
            + $"{run.CompletionTimeout}; set a timeout in the bodies, or raise LoadOptions.CompletionTimeout");
    }
}
