namespace LoadTesting.Core.Load.Pacing;

/// <summary>The number of copies of a closed simulation over time.</summary>
internal static class CopySchedule
{
    /// <summary>The levels in ascending order of time, the first at 0.</summary>
    internal static IEnumerable<CopyLevel> Of(ClosedSimulation simulation) =>
        simulation is RampingConstantSimulation ramp
        ? Ramp(ramp.FromCopies, ramp.Copies, StopwatchTime.FromTimeSpan(ramp.During))
        : [new CopyLevel(0, simulation.Copies)];

    /// <summary>
    /// The linear change from one level to the other, rounded up to whole copies: a ramp up starts its first copy at
    /// once, like the first arrival of an open ramp, and a ramp down keeps its last copy to the end.
    /// </summary>
    private static IEnumerable<CopyLevel> Ramp(int from, int to, long during)
    {
        var (steps, direction, early) = to > from ? ((long)to - from, 1, 1) : ((long)from - to, -1, 0);
        yield return new CopyLevel(0, from + early);
        for (var step = 1; step <= steps - early; step++)
        {
            yield return new CopyLevel((long)((Int128)step * during / steps), from + early + (direction * step));
        }
    }
}

/// <summary>
/// From <paramref name="Offset"/> on, in Stopwatch ticks after the start of the simulation, that many copies run.
/// </summary>
internal readonly record struct CopyLevel(long Offset, int Copies);
