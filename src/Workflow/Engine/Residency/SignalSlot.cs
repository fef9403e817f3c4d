namespace Workflow.Engine.Residency;

/// <summary>The hash of a signal name and a correlation key by which a store finds dormant instances.</summary>
internal static class SignalSlot
{
    /// <summary>
    /// FNV-1a of 64 bits over UTF-16 code units, like <see cref="Partitioning.OfKey"/>: stored slots must mean the same
    /// to every version. The partition stands in front, so that the slots of a partition follow one another in an
    /// index.
    /// </summary>
    public static long Of(string name, string key)
    {
        var hash = Add(Add(14695981039346656037UL, name) * 1099511628211UL, key);
        hash ^= hash >> 29;
        return DormantWait.SlotOf(Partitioning.OfKey(key), hash);
    }

    private static ulong Add(ulong hash, string text)
    {
        foreach (var unit in text)
        {
            hash = (hash ^ unit) * 1099511628211UL;
        }

        return hash;
    }
}
