namespace LoadTesting.Core.Load;

/// <summary>
/// What the copies of a closed load have yet to do: as much as fits until a deadline, or a number of iterations. Copies that are too many leave
/// when their iteration has ended.
/// </summary>
internal sealed class ClosedWork(long deadline, long iterations)
{
    private long _claimed;
    private int _surplus;

    /// <summary>Iterations handed out.</summary>
    internal long Claimed => Math.Min(Volatile.Read(ref _claimed), iterations);

    /// <summary>False when there is nothing left to start at <paramref name="now"/>, or the asking copy is one too many.</summary>
    internal bool TryClaim(long now) => now < deadline && !TryTakeSurplus() && Interlocked.Increment(ref _claimed) <= iterations;

    /// <summary>Lets that many copies more leave.</summary>
    internal void Dismiss(int copies) => Interlocked.Add(ref _surplus, copies);

    /// <summary>True where a copy that was to leave has not yet done so and now stays: there is no need for another.</summary>
    internal bool TryKeep() => TryTakeSurplus();

    private bool TryTakeSurplus()
    {
        var surplus = Volatile.Read(ref _surplus);
        while (surplus > 0)
        {
            var seen = Interlocked.CompareExchange(ref _surplus, surplus - 1, surplus);
            if (seen == surplus)
            {
                return true;
            }

            surplus = seen;
        }

        return false;
    }
}
