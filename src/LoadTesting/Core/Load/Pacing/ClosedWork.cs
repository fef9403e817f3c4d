namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// What the copies of a closed load have yet to do: as much as fits until a deadline, or a number of iterations. Copies
/// that are too many leave when their iteration has ended. Where a deadline ends it the copies share nothing that they
/// write.
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

    /// <summary>Iterations that were claimed, of a load with a fixed number of them.</summary>
    internal long Claimed => Math.Min(Volatile.Read(ref _claimed), _iterations);

    internal bool IsUntilDeadline => _iterations == long.MaxValue;

    internal static ClosedWork Until(long deadline) => new(deadline, long.MaxValue, 0);

    /// <summary>A fixed number of iterations, numbered in the order in which they start.</summary>
    internal static ClosedWork Of(long iterations, long firstNumber) => new(long.MaxValue, iterations, firstNumber);

    /// <summary>
    /// False if nothing is left to start at <paramref name="now"/>, or if the calling copy is surplus. If a deadline
    /// ends the load, the copy numbers its iterations itself and <paramref name="number"/> is -1.
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

    /// <summary>Makes a number of copies surplus; each leaves after its iteration.</summary>
    internal void Retire(int copies) => Interlocked.Add(ref _excess, copies);

    /// <summary>True if a surplus copy has not left yet and now stays, so that no new copy is needed.</summary>
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
