using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Workflow.Engine.Configuration;

/// <summary>
/// Creates UUIDs of version 7. Random bytes are fetched for many ids at once, because each fetch is a system call.
/// </summary>
internal static class Ids
{
    private const int RandomBytes = 10;
    private const int AtOnce = 128;

    [ThreadStatic]
    private static byte[]? s_random;

    [ThreadStatic]
    private static int s_used;

    public static Guid Next(DateTimeOffset instant)
    {
        if (s_random is null || s_used == s_random.Length)
        {
            s_random ??= new byte[AtOnce * RandomBytes];
            RandomNumberGenerator.Fill(s_random);
            s_used = 0;
        }

        Span<byte> id = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(id, instant.ToUnixTimeMilliseconds() << 16);
        s_random.AsSpan(s_used, RandomBytes).CopyTo(id[6..]);
        s_used += RandomBytes;
        id[6] = (byte)(0x70 | (id[6] & 0x0F));
        id[8] = (byte)(0x80 | (id[8] & 0x3F));
        return new Guid(id, bigEndian: true);
    }
}
