namespace LoadTesting.Core.Load;

/// <summary>What the copies of a closed simulation have yet to do: as much as fits until a deadline, or a number of iterations.</summary>
internal sealed class ClosedWork(long deadline, long iterations)
{
    private long _claimed;

    /// <summary>Iterations handed out.</summary>
    internal long Claimed => Math.Min(Volatile.Read(ref _claimed), iterations);

    /// <summary>False when there is nothing left to start at <paramref name="now"/>.</summary>
    internal bool TryClaim(long now) => now < deadline && Interlocked.Increment(ref _claimed) <= iterations;
}
