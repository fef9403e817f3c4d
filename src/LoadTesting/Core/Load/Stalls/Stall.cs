namespace LoadTesting.Core.Load.Stalls;

/// <summary>A time without a completion although work was in flight.</summary>
/// <param name="From">In Stopwatch ticks.</param>
/// <param name="To">The next completion, or the end of the run.</param>
/// <param name="InFlight">Iterations in flight at the end of it.</param>
internal readonly record struct Stall(long From, long To, long InFlight)
{
    internal long Length => To - From;
}
