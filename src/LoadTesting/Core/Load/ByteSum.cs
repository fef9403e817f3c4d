namespace LoadTesting.Core.Load;

/// <summary>Saturating sums of bytes: a scenario may report any size, and a sum must not become negative.</summary>
public static class ByteSum
{
    /// <param name="left">Not negative.</param>
    /// <param name="right">Not negative.</param>
    public static long Add(long left, long right) => right > long.MaxValue - left ? long.MaxValue : left + right;

    /// <param name="parts">Not negative.</param>
    public static long Of(IEnumerable<long> parts) => parts.Aggregate(0L, Add);
}
