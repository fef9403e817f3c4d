using System.Buffers.Binary;

namespace Workflow.Abstractions.Notifications;

/// <summary>
/// A notification on the wire: the sender (16 bytes) and a bit for each lane (8 bytes, little-endian).
/// </summary>
public readonly record struct WakeMessage(Guid Sender, ulong Lanes)
{
    private const int SenderLength = 16;
    private const int Length = SenderLength + sizeof(ulong);

    public byte[] Encode()
    {
        var bytes = new byte[Length];
        Sender.TryWriteBytes(bytes);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(SenderLength), Lanes);
        return bytes;
    }

    /// <summary>Decodes a message. Null for other bytes, since other programs can use the channel.</summary>
    public static WakeMessage? Decode(byte[]? bytes) =>
        bytes is { Length: Length }
            ? new WakeMessage(new Guid(bytes.AsSpan(0, SenderLength)),
                BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(SenderLength)))
            : null;
}
