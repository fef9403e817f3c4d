using System.Diagnostics;
using LoadTesting.Core.Measurement;
using LoadTesting.Core.Scenarios;

namespace LoadTesting.Core.Load;

/// <summary>The closed model: copies that each start their next iteration when the one before has ended.</summary>
internal static class ClosedLoad
{
    internal static void Run(ScenarioRun run, LoadSimulation simulation, ScheduleTally tally)
    {
        switch (simulation)
        {
            case KeepConstantSimulation keep:
                RunUntilDeadline(run, keep, tally);
                break;
            case IterationsForConstantSimulation fixedNumber:
                RunIterations(run, fixedNumber, tally);
                break;
            default:
                throw new NotSupportedException($"There is no closed load of kind {simulation.GetType().Name}.");
        }
    }

    private static void RunUntilDeadline(ScenarioRun run, KeepConstantSimulation simulation, ScheduleTally tally)
    {
        if (run.Control.IsStopped)
        {
            return;
        }

        var deadline = Stopwatch.GetTimestamp() + StopwatchTime.FromTimeSpan(simulation.During);
        var work = new ClosedWork(deadline, long.MaxValue);
        tally.UntilDeadline.Add(work);
        StartCopies(run, work, simulation.Copies);
        tally.ScheduleEnd = run.Wait.Until(deadline) ? deadline : Math.Min(deadline, Stopwatch.GetTimestamp());
        WaitForCopies(run, simulation, mustProgress: false);
    }

    private static void RunIterations(ScenarioRun run, IterationsForConstantSimulation simulation, ScheduleTally tally)
    {
        var work = new ClosedWork(long.MaxValue, simulation.Iterations);
        tally.Asked += simulation.Iterations;
        if (!run.Control.IsStopped)
        {
            StartCopies(run, work, simulation.Copies);
            WaitForCopies(run, simulation, mustProgress: true);
        }

        tally.DroppedAfterStop += simulation.Iterations - work.Claimed;
    }

    private static void StartCopies(ScenarioRun run, ClosedWork work, int copies)
    {
        run.Gaps.Restart(Stopwatch.GetTimestamp(), copies);
        for (var copy = 0; copy < copies; copy++)
        {
            run.Rent().QueueClosed(work);
        }
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
