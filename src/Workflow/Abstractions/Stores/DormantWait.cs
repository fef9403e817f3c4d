namespace Workflow.Abstractions.Stores;

/// <summary>A wait for a signal of a dormant instance.</summary>
/// <param name="Slot">
/// A hash of signal name and correlation key. Its first six bits are the partition of the key, which is that of the
/// instance. Two slots may have the same hash.
/// </param>
/// <param name="WaitId">The id of the wait.</param>
public readonly record struct DormantWait(long Slot, Guid WaitId)
{
    /// <summary>The number of bits behind those of the partition.</summary>
    private const int HashBits = 58;

    /// <summary>The slot with the first bits of a hash in a partition from 0 to 63.</summary>
    public static long SlotOf(short partition, ulong hash) =>
        (long)((hash >> (64 - HashBits)) | ((ulong)partition << HashBits));

    /// <summary>The first and the last slot of a partition behind another slot; null if there is none.</summary>
    /// <param name="after">Null for all slots of the partition.</param>
    public static (long First, long Last)? SlotsOf(short partition, long? after)
    {
        var first = (long)((ulong)partition << HashBits);
        var last = first | ((1L << HashBits) - 1);
        return after >= last ? null : (after is { } slot ? Math.Max(slot + 1, first) : first, last);
    }
}
