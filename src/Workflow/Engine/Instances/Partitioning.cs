namespace Workflow.Engine.Instances;

/// <summary>
/// Maps keys and instances to partitions. The last byte of an instance id is its partition, so that a signal by id
/// needs no look-up even if the instance was placed by its correlation key.
/// </summary>
internal static class Partitioning
{
    public const int Count = 64;

    /// <summary>
    /// FNV-1a over UTF-16 code units: stable across processes and versions, unlike <see cref="string.GetHashCode()"/>.
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

    public static short OfInstance(Guid id)
    {
        Span<byte> bytes = stackalloc byte[16];
        id.TryWriteBytes(bytes, bigEndian: true, out _);
        return (short)(bytes[15] % Count);
    }

    /// <param name="id">A new id of any partition.</param>
    public static Guid NewInstanceId(Guid id, string? correlationKey) =>
        NewId(id, correlationKey is null ? null : OfKey(correlationKey));

    /// <summary>
    /// Returns an id in the partition, for a task or sub-workflow, which belong to the partition of their instance.
    /// Null selects any partition.
    /// </summary>
    public static Guid NewId(Guid id, short? partition)
    {
        Span<byte> bytes = stackalloc byte[16];
        id.TryWriteBytes(bytes, bigEndian: true, out _);
        bytes[15] = (byte)(partition ?? bytes[15] % Count);
        return new Guid(bytes, bigEndian: true);
    }
}
