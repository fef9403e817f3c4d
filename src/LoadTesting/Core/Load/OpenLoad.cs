using System.Diagnostics;

namespace LoadTesting.Core.Load;

/// <summary>The open model: hands arrivals to the thread pool when they are due. Never runs a body, so no body can hold it up.</summary>
internal static class OpenLoad
{
    internal static void Run(ScenarioRun run, OpenSimulation simulation, ScheduleTally tally)
    {
        var schedule = ArrivalSchedule.Create(simulation);
        var start = tally.NextStart;
        var end = start + StopwatchTime.FromTimeSpan(simulation.During);
        var windowEnd = end + Tolerance(simulation);
        while (schedule.TryNext(out var offset))
        {
            tally.Asked++;
            if (!run.Wait.Until(start + offset))
            {
                tally.DroppedAfterStop++;
            }
            else if (run.InFlight.Count >= run.Props.MaxInFlight)
            {
                tally.DroppedInFlightLimit++;
            }
            else
            {
                run.Rent().QueueOpen(start + offset, windowEnd);
            }
        }

        tally.EndAt(run.Wait.Until(end) ? end : Math.Min(end, Stopwatch.GetTimestamp()));
    }

    /// <summary>An arrival at the very end may start a mean gap later (at least 10 ms) without counting as late.</summary>
    private static long Tolerance(OpenSimulation simulation) => Math.Max(
        StopwatchTime.FromTimeSpan(simulation.MeanGap), StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(10)));
}
