namespace LoadTesting.Core.Load.Events;

/// <summary>The counters of one shard, guarded by its lock.</summary>
internal sealed class EventTally
{
    internal long Registered;
    internal long Observed;
    internal long Matched;
    internal long Lost;
    internal long Late;
    internal long Duplicate;
    internal long Unmatched;
    internal long Withdrawn;
    internal long Buffered;
    internal long Overflowed;

    internal void Add(EventTally other)
    {
        Registered += other.Registered;
        Observed += other.Observed;
        Matched += other.Matched;
        Lost += other.Lost;
        Late += other.Late;
        Duplicate += other.Duplicate;
        Unmatched += other.Unmatched;
        Withdrawn += other.Withdrawn;
        Buffered += other.Buffered;
        Overflowed += other.Overflowed;
    }
}
