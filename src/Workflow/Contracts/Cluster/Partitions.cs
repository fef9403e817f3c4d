namespace Workflow.Contracts.Cluster;

/// <summary>
/// Keys and ids are divided into partitions, and each partition belongs to the lane of its number modulo the number of
/// lanes. The last byte of an id of an instance or task is its partition.
/// </summary>
public static class Partitions
{
    public const int Count = 64;

    /// <summary>
    /// The partition of a correlation key. FNV-1a over UTF-16 code units: stable across processes and versions, unlike
    /// <see cref="string.GetHashCode()"/>.
    /// </summary>
    public static short OfKey(string key)
    {
        var hash = 2166136261u;
        foreach (var unit in key)
        {
            hash = (hash ^ unit) * 16777619u;
        }

        return (short)((hash ^ (hash >> 15)) % Count);
    }

    /// <summary>The partition of an instance or task.</summary>
    public static short OfId(Guid id)
    {
        Span<byte> bytes = stackalloc byte[16];
        id.TryWriteBytes(bytes, bigEndian: true, out _);
        return (short)(bytes[15] % Count);
    }
}
