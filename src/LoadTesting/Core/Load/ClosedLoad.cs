using System.Diagnostics;

namespace LoadTesting.Core.Load;

/// <summary>The closed model: copies that each start their next iteration when the one before has ended.</summary>
internal static class ClosedLoad
{
    /// <summary>
    /// Simulations that are bound to time and follow each other, as one: copies run on from one to the next, so that a change of level is no
    /// gap in the load.
    /// </summary>
    internal static void RunUntilDeadline(ScenarioRun run, IReadOnlyList<ClosedSimulation> simulations, ScheduleTally tally)
    {
        if (run.Control.IsStopped)
        {
            return;
        }

        // Copies of an earlier simulation may have run longer than its pause.
        var start = Math.Max(tally.NextStart, Stopwatch.GetTimestamp());
        var deadline = start + simulations.Sum(simulation => StopwatchTime.FromTimeSpan(simulation.PlannedDuration!.Value));
        var work = new ClosedWork(deadline, long.MaxValue);
        tally.UntilDeadline.Add(work);
        FollowLevels(run, work, simulations, start);
        tally.EndAt(run.Wait.Until(deadline) ? deadline : Math.Min(deadline, Stopwatch.GetTimestamp()));
        WaitForCopies(run, simulations[^1], mustProgress: false);
    }

    internal static void RunIterations(ScenarioRun run, IterationsForConstantSimulation simulation, ScheduleTally tally)
    {
        var work = new ClosedWork(long.MaxValue, simulation.Iterations);
        tally.Asked += simulation.Iterations;
        if (!run.Control.IsStopped)
        {
            run.Gaps.Restart(Stopwatch.GetTimestamp(), simulation.Copies);
            SetCopies(run, work, 0, simulation.Copies);
            WaitForCopies(run, simulation, mustProgress: true);
        }

        tally.DroppedAfterStop += simulation.Iterations - work.Claimed;
        tally.GoOnAt(Stopwatch.GetTimestamp());
    }

    private static void FollowLevels(ScenarioRun run, ClosedWork work, IReadOnlyList<ClosedSimulation> simulations, long start)
    {
        var copies = 0;
        foreach (var simulation in simulations)
        {
            if (!run.Wait.Until(start))
            {
                return;
            }

            // With the most copies of the simulation: a stall then counts as seen by no fewer iterations than did see it.
            var levels = CopySchedule.Of(simulation);
            run.Gaps.Restart(Stopwatch.GetTimestamp(), Math.Max(simulation.Copies, levels.First().Copies));
            foreach (var level in levels)
            {
                if (!run.Wait.Until(start + level.Offset))
                {
                    return;
                }

                SetCopies(run, work, copies, level.Copies);
                copies = level.Copies;
            }

            start += StopwatchTime.FromTimeSpan(simulation.PlannedDuration!.Value);
        }
    }

    private static void SetCopies(ScenarioRun run, ClosedWork work, int from, int to)
    {
        for (var copy = from; copy < to; copy++)
        {
            if (!work.TryKeep())
            {
                run.Rent().QueueClosed(work);
            }
        }

        work.Dismiss(Math.Max(0, from - to));
    }

    /// <summary>
    /// A number of iterations may take any time as long as one of them starts within each completion timeout; without that rule a body
    /// that hangs would hang the run.
    /// </summary>
    private static void WaitForCopies(ScenarioRun run, LoadSimulation simulation, bool mustProgress)
    {
        long startedBefore;
        do
        {
            startedBefore = run.Started;
            if (run.InFlight.WaitUntilEmpty(run.CompletionTimeout))
            {
                return;
            }
        }
        while (mustProgress && run.Started != startedBefore);

        run.Control.Stop(
            $"scenario '{run.Name}': {run.InFlight.Count} copies of '{simulation}' did not end within the completion timeout of {run.CompletionTimeout}; give the bodies a timeout of their own, or raise LoadOptions.CompletionTimeout");
    }
}
