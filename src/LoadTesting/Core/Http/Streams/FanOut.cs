namespace LoadTesting.Core.Http.Streams;

/// <summary>
/// The ledger of publications that each of many clients must receive once and in order. Keeps a bit per client and open
/// publication, and the last number of each stream per client. Safe for concurrent use by different clients.
/// </summary>
/// <param name="clients">Number of clients, at least 1.</param>
/// <param name="streams">Maximum number of ordered streams, at least 1.</param>
public sealed class FanOut(int clients, int streams)
{
    private readonly ConcurrentDictionary<long, Publication> _publications = new();
    private readonly long[] _last = new long[(long)clients * streams];
    private readonly LatencyRecorder _propagation = new();
    private int _expected;
    private long _doubled;
    private long _outOfOrder;
    private long _gaps;
    private long _foreign;

    /// <summary>Number of clients that every publication must reach. Set it before the first publication.</summary>
    public int Expected
    {
        get => Volatile.Read(ref _expected);
        set => Volatile.Write(ref _expected, value);
    }

    /// <summary>From just before the publication's request to each client's receipt.</summary>
    public LatencyHistogram Propagation => _propagation.Snapshot();

    /// <summary>Starts a publication with a new number, right before its request.</summary>
    public Publication Publish(long number)
    {
        var publication = new Publication(number, clients, Expected, Stopwatch.GetTimestamp());
        return _publications.TryAdd(number, publication)
            ? publication
            : throw new InvalidOperationException($"Publication {number} has been made before.");
    }

    /// <summary>Withdraws a publication whose request was refused.</summary>
    public void Withdraw(Publication publication)
    {
        ArgumentNullException.ThrowIfNull(publication);
        _ = _publications.TryRemove(publication.Number, out _);
    }

    /// <summary>Adds an event that a client received. Calls of one client must not overlap.</summary>
    internal void Deliver(int client, Delivery delivery, long ticks)
    {
        if ((uint)delivery.Stream >= (uint)streams || delivery.Sequence < 1)
        {
            Interlocked.Increment(ref _foreign);
            return;
        }

        Publication? publication = null;
        if (delivery.Publication >= 0)
        {
            if (!_publications.TryGetValue(delivery.Publication, out publication))
            {
                Interlocked.Increment(ref _foreign);
            }
            else if (!publication.TryAdd(client, ticks))
            {
                Interlocked.Increment(ref _doubled);
                return;
            }
            else
            {
                _propagation.RecordStopwatchTicks(ticks - publication.PublishedTicks);
            }
        }

        CheckSequence(ref _last[((long)client * streams) + delivery.Stream], delivery.Sequence);

        // Last: waiters for the publication must find this delivery in all counts.
        publication?.Arrived();
    }

    /// <summary>Adds an event that is unreadable or unexpected.</summary>
    internal void AddForeign() => Interlocked.Increment(ref _foreign);

    /// <summary>The counts so far.</summary>
    internal FanOutCounts Counts()
    {
        var all = _publications.Values.ToArray();
        return new FanOutCounts(
            all.Length, all.Sum(publication => (long)publication.Received), all.Sum(publication => publication.Missing),
            Interlocked.Read(ref _doubled), Interlocked.Read(ref _outOfOrder), Interlocked.Read(ref _gaps),
            Interlocked.Read(ref _foreign));
    }

    /// <summary>A missing number is a gap. If it arrives later, it is out of order instead.</summary>
    private void CheckSequence(ref long last, long sequence)
    {
        if (sequence <= last)
        {
            Interlocked.Increment(ref _outOfOrder);
            Interlocked.Decrement(ref _gaps);
            return;
        }

        if (last > 0 && sequence > last + 1)
        {
            Interlocked.Add(ref _gaps, sequence - last - 1);
        }

        last = sequence;
    }
}
