namespace LoadTesting.Core.Http.Streams;

/// <summary>A publication that every client must receive.</summary>
public sealed class Publication
{
    private readonly TaskCompletionSource<long> _everywhere = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int _expected;
    private ulong[]? _clients;
    private int _received;
    private long _lastTicks;

    internal Publication(long number, int clients, int expected, long publishedTicks)
    {
        (Number, _expected, PublishedTicks) = (number, expected, publishedTicks);
        _clients = new ulong[(clients + 63) >> 6];
        if (expected == 0)
        {
            _everywhere.SetResult(publishedTicks);
        }
    }

    public long Number { get; }

    /// <summary>Monotonic ticks right before its request.</summary>
    public long PublishedTicks { get; }

    /// <summary>Number of clients that received it.</summary>
    public int Received => Volatile.Read(ref _received);

    /// <summary>Number of clients that did not receive it yet.</summary>
    public int Missing => Math.Max(0, _expected - Received);

    /// <summary>Completes when every client has received it, with the monotonic ticks of the last receipt.</summary>
    public Task<long> Everywhere => _everywhere.Task;

    /// <returns>False if this client has received it already.</returns>
    internal bool TryAdd(int client, long ticks)
    {
        // Every client has received it: the bits are gone, and later deliveries are repeats.
        if (Volatile.Read(ref _clients) is not { } clients)
        {
            return false;
        }

        var bit = 1UL << (client & 63);
        if ((Interlocked.Or(ref clients[client >> 6], bit) & bit) != 0)
        {
            return false;
        }

        for (var seen = Volatile.Read(ref _lastTicks); ticks > seen;)
        {
            var found = Interlocked.CompareExchange(ref _lastTicks, ticks, seen);
            seen = found == seen ? ticks : found;
        }

        return true;
    }

    /// <summary>Counts a client after <see cref="TryAdd"/>.</summary>
    internal void Arrived()
    {
        if (Interlocked.Increment(ref _received) == _expected)
        {
            Volatile.Write(ref _clients, null);
            _everywhere.TrySetResult(Volatile.Read(ref _lastTicks));
        }
    }
}
