using Workflow.Contracts.Cluster;

namespace Workflow.Engine.Instances;

/// <summary>
/// Maps keys and instances to partitions. The last byte of an instance id is its partition, so that a signal by id
/// needs no look-up even if the instance was placed by its correlation key.
/// </summary>
internal static class Partitioning
{
    public const int Count = Partitions.Count;

    /// <inheritdoc cref="Partitions.OfKey"/>
    public static short OfKey(string key) => Partitions.OfKey(key);

    public static short OfInstance(Guid id) => Partitions.OfId(id);

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
