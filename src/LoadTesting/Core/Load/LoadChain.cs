using System.Diagnostics;

namespace LoadTesting.Core.Load;

/// <summary>Runs the simulations of a scenario one after the other.</summary>
internal static class LoadChain
{
    private static readonly TimeSpan s_stopCheck = TimeSpan.FromMilliseconds(50);

    internal static void Run(ScenarioRun run, ScheduleTally tally)
    {
        for (var index = 0; index < run.Simulations.Count; index++)
        {
            switch (run.Simulations[index])
            {
                case PauseSimulation pause:
                    Pause(run, pause, tally);
                    break;
                case OpenSimulation open:
                    OpenLoad.Run(run, open, tally);
                    break;
                case IterationsForConstantSimulation number:
                    ClosedLoad.RunIterations(run, number, tally);
                    break;
                case ClosedSimulation:
                    var stretch = run.Simulations.Skip(index).TakeWhile(IsClosedUntilDeadline).Cast<ClosedSimulation>().ToArray();
                    ClosedLoad.RunUntilDeadline(run, stretch, tally);
                    index += stretch.Length - 1;
                    break;
                case var other:
                    throw new NotSupportedException($"There is no load of kind {other.GetType().Name}.");
            }
        }
    }

    private static bool IsClosedUntilDeadline(LoadSimulation simulation) => simulation is ClosedSimulation { PlannedDuration: not null };

    private static void Pause(ScenarioRun run, PauseSimulation pause, ScheduleTally tally)
    {
        var start = tally.NextStart;
        var end = start + StopwatchTime.FromTimeSpan(pause.During);
        var quietSince = WaitUntilQuiet(run, start, end);
        var ended = run.Wait.Until(end) ? end : Math.Min(end, Stopwatch.GetTimestamp());
        tally.Paused += Math.Max(0, ended - quietSince);
        tally.EndAt(ended);
    }

    /// <summary>When nothing was in flight any more; <paramref name="end"/> where something was until then. A stop ends the wait soon, not at once.</summary>
    private static long WaitUntilQuiet(ScenarioRun run, long start, long end)
    {
        while (run.InFlight.Count > 0 && !run.Control.IsStopped)
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
}
