using System.Buffers.Binary;

namespace Workflow.Notifications.Redis;

/// <summary>What travels: the sender (16 bytes) and a bit for each lane (8 bytes, little-endian), for any number of signals.</summary>
internal readonly record struct WakeMessage(Guid Sender, ulong Lanes)
{
    public const int MaxLanes = 64;
    private const int SenderLength = 16;
    private const int Length = SenderLength + sizeof(ulong);

    public byte[] Encode()
    {
        var bytes = new byte[Length];
        Sender.TryWriteBytes(bytes);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(SenderLength), Lanes);
        return bytes;
    }

    /// <summary>Null for bytes that are no such message: the channel is open to everybody.</summary>
    public static WakeMessage? Decode(byte[]? bytes) =>
        bytes is { Length: Length }
            ? new WakeMessage(new Guid(bytes.AsSpan(0, SenderLength)), BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(SenderLength)))
            : null;
}
