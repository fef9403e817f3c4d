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
                    index += stretch.Length - 1;
                    ClosedLoad.RunUntilDeadline(run, stretch, tally, run.Simulations.ElementAtOrDefault(index + 1));
                    break;
                case var other:
                    throw new NotSupportedException($"There is no load of kind {other.GetType().Name}.");
            }
        }

        run.EndSchedule();
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

    /// <summary>
    /// When nothing was in flight any more; <paramref name="end"/> where something was until then. A stop ends the wait soon, not at once.
    /// </summary>
    private static long WaitUntilQuiet(ScenarioRun run, long start, long end)
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
}

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
            run.BeginAt(start + offset);
            if (!run.Wait.Until(start + offset))
            {
                tally.DroppedAfterStop++;
            }
            else if (run.InFlight.Count >= run.Props.MaxInFlight)
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

    /// <summary>An arrival at the very end may start a mean gap later (at least 10 ms) without counting as late.</summary>
    private static long Tolerance(OpenSimulation simulation) => Math.Max(
        StopwatchTime.FromTimeSpan(simulation.MeanGap), StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(10)));
}

/// <summary>The closed model: copies that each start their next iteration when the one before has ended.</summary>
internal static class ClosedLoad
{
    /// <summary>
    /// Simulations that are bound to time and follow each other, as one: copies run on from one to the next, so that a change of level is
    /// no gap in the load. Arrivals that follow do not wait for the last iterations of the copies: they have a schedule.
    /// </summary>
    internal static void RunUntilDeadline(
        ScenarioRun run, IReadOnlyList<ClosedSimulation> simulations, ScheduleTally tally, LoadSimulation? next)
    {
        if (run.IsStopped)
        {
            return;
        }

        // Copies of an earlier simulation may have run longer than its pause.
        var start = Math.Max(tally.NextStart, Stopwatch.GetTimestamp());
        var deadline = start + simulations.Sum(simulation => StopwatchTime.FromTimeSpan(simulation.PlannedDuration!.Value));
        var work = ClosedWork.Until(deadline);
        run.BeginAt(start);
        FollowLevels(run, work, simulations, start);
        tally.EndAt(run.Wait.Until(deadline) ? deadline : Math.Min(deadline, Stopwatch.GetTimestamp()));
        if (next is null)
        {
            run.EndSchedule();
        }

        if (next is not OpenSimulation)
        {
            WaitForCopies(run, simulations[^1], mustProgress: false);
        }
    }

    internal static void RunIterations(ScenarioRun run, IterationsForConstantSimulation simulation, ScheduleTally tally)
    {
        var work = ClosedWork.Of(simulation.Iterations, run.TakeNumbers(simulation.Iterations));
        tally.Asked += simulation.Iterations;
        if (!run.IsStopped)
        {
            run.BeginAt(Stopwatch.GetTimestamp());
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

            foreach (var level in CopySchedule.Of(simulation))
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

        work.Retire(Math.Max(0, from - to));
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
            $"scenario '{run.Name}': {run.InFlight.Count} copies of '{simulation}' did not end within the completion timeout of "
            + $"{run.CompletionTimeout}; give the bodies a timeout of their own, or raise LoadOptions.CompletionTimeout");
    }
}

/// <summary>
/// What the copies of a closed load have yet to do: as much as fits until a deadline, or a number of iterations. Copies that are too many
/// leave when their iteration has ended. Where a deadline ends it the copies share nothing that they write.
/// </summary>
internal sealed class ClosedWork
{
    private readonly long _deadline;
    private readonly long _iterations;
    private readonly long _firstNumber;
    private long _claimed;
    private int _excess;

    private ClosedWork(long deadline, long iterations, long firstNumber) =>
        (_deadline, _iterations, _firstNumber) = (deadline, iterations, firstNumber);

    /// <summary>Iterations of a load with a known number that were claimed.</summary>
    internal long Claimed => Math.Min(Volatile.Read(ref _claimed), _iterations);

    internal bool IsUntilDeadline => _iterations == long.MaxValue;

    internal static ClosedWork Until(long deadline) => new(deadline, long.MaxValue, 0);

    /// <summary>So many iterations; they are numbered in the order in which they start.</summary>
    internal static ClosedWork Of(long iterations, long firstNumber) => new(long.MaxValue, iterations, firstNumber);

    /// <summary>
    /// False when there is nothing left to start at <paramref name="now"/>, or the asking copy is one too many. Where a deadline ends the
    /// load the number is the copy's to find.
    /// </summary>
    internal bool TryClaim(long now, out long number)
    {
        number = -1;
        if (now >= _deadline || TryTakeExcess())
        {
            return false;
        }

        if (IsUntilDeadline)
        {
            return true;
        }

        var claim = Interlocked.Increment(ref _claimed);
        number = _firstNumber + claim - 1;
        return claim <= _iterations;
    }

    /// <summary>Lets that many copies more leave.</summary>
    internal void Retire(int copies) => Interlocked.Add(ref _excess, copies);

    /// <summary>True where a copy that was to leave has not yet done so and now stays: there is no need for another.</summary>
    internal bool TryKeep() => TryTakeExcess();

    private bool TryTakeExcess()
    {
        var excess = Volatile.Read(ref _excess);
        while (excess > 0)
        {
            var seen = Interlocked.CompareExchange(ref _excess, excess - 1, excess);
            if (seen == excess)
            {
                return true;
            }

            excess = seen;
        }

        return false;
    }
}

/// <summary>What the schedule of one scenario has asked for. Written by its thread alone.</summary>
internal sealed class ScheduleTally(long start)
{
    /// <summary>When the load began, in Stopwatch ticks.</summary>
    internal long Start { get; } = start;

    /// <summary>When the next simulation is to begin, whatever the time is now: the schedule is absolute.</summary>
    internal long NextStart { get; private set; } = start;

    /// <summary>When the part of the schedule that is bound to time ended; 0 where none was.</summary>
    internal long ScheduleEnd { get; private set; }

    /// <summary>How long, in Stopwatch ticks, a pause let nothing start while nothing was in flight.</summary>
    internal long Paused { get; set; }

    /// <summary>Iterations that simulations with a known number asked for.</summary>
    internal long Asked { get; set; }

    internal long DroppedInFlightLimit { get; private set; }
    internal long DroppedAfterStop { get; set; }

    /// <summary>What <see cref="DropInFlightLimit"/> dropped, by when it was due.</summary>
    internal Timeline Dropped { get; } = new() { Origin = start };

    /// <summary>An arrival that was due then found too many in flight.</summary>
    internal void DropInFlightLimit(long due)
    {
        DroppedInFlightLimit++;
        Dropped.At(due).Dropped++;
    }

    /// <summary>A simulation that was bound to time has ended.</summary>
    internal void EndAt(long timestamp) => ScheduleEnd = NextStart = timestamp;

    /// <summary>A simulation that takes its own time has ended.</summary>
    internal void GoOnAt(long timestamp) => NextStart = timestamp;
}
