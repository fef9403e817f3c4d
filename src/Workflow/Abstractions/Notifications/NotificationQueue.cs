using System.Numerics;

namespace Workflow.Abstractions.Notifications;

/// <summary>
/// The outgoing notifications of one node, and their counts. While one notification is being published, all others are
/// merged into the next one, which has a bit for each lane. Thread-safe.
/// </summary>
public sealed class NotificationQueue : IDisposable
{
    /// <summary>The number of lanes that a notification can name.</summary>
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
        new(Interlocked.Read(ref _sent), Interlocked.Read(ref _coalesced), Interlocked.Read(ref _lost),
            Interlocked.Read(ref _received));

    /// <summary>Queues a notification for a lane. Returns at once.</summary>
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

    /// <summary>Publishes queued notifications until cancelled.</summary>
    /// <param name="tryPublish">
    /// Publishes one notification; false if the medium did not accept it. Throws only if cancelled.
    /// </param>
    public async Task RunAsync(Func<WakeMessage, Task<bool>> tryPublish, CancellationToken cancellationToken)
    {
        while (true)
        {
            await _notified.WaitAsync(cancellationToken).ConfigureAwait(false);
            var lanes = Interlocked.Exchange(ref _waiting, 0);
            Count(ref await tryPublish(new WakeMessage(_self, lanes)).ConfigureAwait(false) ? ref _sent : ref _lost,
                lanes);
        }
    }

    /// <summary>Wakes the lanes of a received notification, unless this node sent it.</summary>
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

    /// <summary>Counts waiting and later notifications as lost.</summary>
    public void Dispose()
    {
        _closed = true;
        Count(ref _lost, Interlocked.Exchange(ref _waiting, 0));
        _notified.Dispose();
    }

    private static void Count(ref long counter, ulong lanes) =>
        Interlocked.Add(ref counter, BitOperations.PopCount(lanes));
}
