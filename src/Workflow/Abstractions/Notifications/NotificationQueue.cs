using System.Buffers.Binary;
using System.Numerics;

namespace Workflow.Abstractions.Notifications;

/// <summary>
/// Notifications of one node on their way to a medium, and their counts. While one is under way, whatever else is notified becomes the next
/// one: a bit for each lane, however many signals. Thread-safe.
/// </summary>
public sealed class NotificationQueue : IDisposable
{
    /// <summary>Lanes that a notification can name.</summary>
    public const int MaxLanes = 64;

    private readonly Guid _self = Guid.NewGuid();
    private readonly SemaphoreSlim _notified = new(0);
    private ulong _waiting;
    private long _sent;
    private long _coalesced;
    private long _lost;
    private long _received;
    private volatile bool _closed;

    public NotificationCounts Counts =>
        new(Interlocked.Read(ref _sent), Interlocked.Read(ref _coalesced), Interlocked.Read(ref _lost), Interlocked.Read(ref _received));

    /// <summary>Notifies of a lane. Returns at once.</summary>
    public void Send(int lane)
    {
        if (lane is < 0 or >= MaxLanes || _closed)
        {
            Interlocked.Increment(ref _lost);
            return;
        }

        var bit = 1UL << lane;
        var waiting = Interlocked.Or(ref _waiting, bit);
        if ((waiting & bit) != 0)
        {
            Interlocked.Increment(ref _coalesced);
        }
        else if (waiting == 0)
        {
            _notified.Release();
        }
    }

    /// <summary>Publishes what is notified, until it is cancelled.</summary>
    /// <param name="tryPublish">Publishes one notification; false when the medium has not taken it. It does not throw but when
    /// cancelled.</param>
    public async Task RunAsync(Func<WakeMessage, Task<bool>> tryPublish, CancellationToken cancellationToken)
    {
        while (true)
        {
            await _notified.WaitAsync(cancellationToken).ConfigureAwait(false);
            var lanes = Interlocked.Exchange(ref _waiting, 0);
            Count(ref await tryPublish(new WakeMessage(_self, lanes)).ConfigureAwait(false) ? ref _sent : ref _lost, lanes);
        }
    }

    /// <summary>Wakes the lanes of a notification that has come, unless it is one's own.</summary>
    public void Receive(WakeMessage message, Action<int> wake)
    {
        if (message.Sender == _self)
        {
            return;
        }

        Count(ref _received, message.Lanes);
        for (var lanes = message.Lanes; lanes != 0; lanes &= lanes - 1)
        {
            wake(BitOperations.TrailingZeroCount(lanes));
        }
    }

    /// <summary>What still waits is lost, and whatever comes.</summary>
    public void Dispose()
    {
        _closed = true;
        Count(ref _lost, Interlocked.Exchange(ref _waiting, 0));
        _notified.Dispose();
    }

    private static void Count(ref long counter, ulong lanes) => Interlocked.Add(ref counter, BitOperations.PopCount(lanes));
}

/// <summary>What travels: the sender (16 bytes) and a bit for each lane (8 bytes, little-endian), for any number of signals.</summary>
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

    /// <summary>Null for bytes that are no such message: a channel is open to everybody.</summary>
    public static WakeMessage? Decode(byte[]? bytes) =>
        bytes is { Length: Length }
            ? new WakeMessage(new Guid(bytes.AsSpan(0, SenderLength)), BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(SenderLength)))
            : null;
}
