using System.Buffers.Binary;

namespace Workflow.Abstractions;

/// <summary>Neighbours and ranges of ids, in the order of their text.</summary>
public static class IdBounds
{
    /// <summary>The id before this one; the lowest id if there is none.</summary>
    public static Guid Before(Guid id) => ToId(UInt128.Max(ToNumber(id), 1) - 1);

    /// <summary>The id after this one; the highest id if there is none.</summary>
    public static Guid After(Guid id) => ToId(UInt128.Min(ToNumber(id), UInt128.MaxValue - 1) + 1);

    /// <summary>The lowest and the highest id whose text begins with a prefix.</summary>
    /// <param name="prefix">The first characters of an id with its hyphens, e.g. <c>01890a5d-ac</c>.</param>
    /// <returns>Null if no id begins so.</returns>
    public static (Guid Lowest, Guid Highest)? OfPrefix(string prefix)
    {
        const string Lowest = "00000000-0000-0000-0000-000000000000";
        const string Highest = "ffffffff-ffff-ffff-ffff-ffffffffffff";
        return prefix.Length <= Lowest.Length
            && Guid.TryParseExact(prefix + Lowest[prefix.Length..], "D", out var lowest)
            && Guid.TryParseExact(prefix + Highest[prefix.Length..], "D", out var highest)
            ? (lowest, highest)
            : null;
    }

    private static UInt128 ToNumber(Guid id)
    {
        Span<byte> bytes = stackalloc byte[16];
        id.TryWriteBytes(bytes, bigEndian: true, out _);
        return BinaryPrimitives.ReadUInt128BigEndian(bytes);
    }

    private static Guid ToId(UInt128 number)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteUInt128BigEndian(bytes, number);
        return new Guid(bytes, bigEndian: true);
    }
}
