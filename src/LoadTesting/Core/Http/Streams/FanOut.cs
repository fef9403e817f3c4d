namespace LoadTesting.Core.Http.Streams;

/// <summary>What an event of the system says about itself.</summary>
/// <param name="Publication">The publication that caused it, from 0; negative where none of this load did.</param>
/// <param name="Stream">The ordered stream that it belongs to, such as a partition; from 0 and less than the account has.</param>
/// <param name="Sequence">Its place there: each event has the next number, from 1.</param>
public readonly record struct Delivery(long Publication, int Stream, long Sequence);

/// <summary>Reads what the events of one kind of system say.</summary>
public interface IEventReader
{
    /// <summary>Called for each event of each client, on the thread that received it; allocates nothing where it can.</summary>
    /// <returns>False for an event that must not be there, such as one that stands for others that are lost.</returns>
    bool TryRead(EventFrame frame, out Delivery delivery);
}

/// <summary>
/// The account of publications that each of many clients must receive once and in order: a bit for each client and publication that is
/// under way, and of each client the last number of each stream. Safe for concurrent use by different clients.
/// </summary>
/// <param name="clients">How many there are, at least 1.</param>
/// <param name="streams">Ordered streams at most, at least 1.</param>
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

    /// <summary>Clients that every publication must reach: those whose streams are open. Set before the first one.</summary>
    public int Expected
    {
        get => Volatile.Read(ref _expected);
        set => Volatile.Write(ref _expected, value);
    }

    /// <summary>From just before the publication's request to each client's receipt.</summary>
    public LatencyHistogram Propagation => _propagation.Snapshot();

    /// <summary>The request of a publication leaves now; the number is new.</summary>
    public Publication Publish(long number)
    {
        var publication = new Publication(number, clients, Expected, Stopwatch.GetTimestamp());
        return _publications.TryAdd(number, publication)
            ? publication
            : throw new InvalidOperationException($"Publication {number} has been made before.");
    }

    /// <summary>The request was refused: nobody is to receive it.</summary>
    public void Withdraw(Publication publication)
    {
        ArgumentNullException.ThrowIfNull(publication);
        _ = _publications.TryRemove(publication.Number, out _);
    }

    /// <summary>A client has received an event. Calls of one client never overlap.</summary>
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

        // Last: who waits for the publication to be everywhere finds this delivery in all figures.
        publication?.Arrived();
    }

    /// <summary>An event that says nothing that can be read, or that must not be there.</summary>
    internal void AddForeign() => Interlocked.Increment(ref _foreign);

    /// <summary>What has come of all publications until now.</summary>
    internal FanOutCounts Counts()
    {
        var all = _publications.Values.ToArray();
        return new FanOutCounts(
            all.Length, all.Sum(publication => (long)publication.Received), all.Sum(publication => publication.Missing),
            Interlocked.Read(ref _doubled), Interlocked.Read(ref _outOfOrder), Interlocked.Read(ref _gaps), Interlocked.Read(ref _foreign));
    }

    /// <summary>A number that is left out is a gap, until it comes after all: then it is out of order.</summary>
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

/// <summary>What deliveries came to.</summary>
/// <param name="Publications">Those that were not refused.</param>
/// <param name="Delivered">Deliveries, each client's of each publication once.</param>
/// <param name="Lost">Deliveries that are missing.</param>
/// <param name="Doubled">Deliveries that came again.</param>
/// <param name="OutOfOrder">Events that came after later ones of their stream.</param>
/// <param name="Gaps">Numbers of streams that clients did not see, between those that they saw.</param>
/// <param name="Foreign">Events that must not be there.</param>
public sealed record FanOutCounts(
    long Publications, long Delivered, long Lost, long Doubled, long OutOfOrder, long Gaps, long Foreign);

/// <summary>What came of many event streams.</summary>
public sealed record FanOutResult
{
    /// <summary>Clients that were to connect.</summary>
    public required int Clients { get; init; }

    /// <summary>Those whose stream opened: every publication was due to each of them.</summary>
    public required int Opened { get; init; }

    /// <summary>Those whose stream is open now.</summary>
    public required int OpenNow { get; init; }

    /// <summary>How often clients cut their stream and came back on purpose.</summary>
    public required long Reconnections { get; init; }

    /// <summary>Open streams that ended without a client's doing.</summary>
    public required long Cuts { get; init; }

    /// <summary>The first thing that went wrong, in words; null where nothing did.</summary>
    public string? FirstFault { get; init; }

    public required FanOutCounts Counts { get; init; }

    /// <summary>From when a client was due to connect to the head of its stream.</summary>
    public required LatencyHistogram Open { get; init; }

    /// <summary>From when a client was due to connect to its first frame, which says where the stream begins.</summary>
    public required LatencyHistogram FirstMessage { get; init; }

    /// <summary>From just before a publication's request to each client's receipt.</summary>
    public required LatencyHistogram Propagation { get; init; }

    /// <summary>What must hold whatever the times are: all connected, each delivery once and in order, and at least one of them.</summary>
    public IReadOnlyList<CheckResult> Checks()
    {
        var fault = FirstFault is null ? "" : $"; the first fault: {FirstFault}";
        return
        [
            None("connected", Clients - Opened, $"{Opened} of {Clients} event streams opened{fault}"),
            None("cutStreams", Cuts, $"{Cuts} open event streams ended without their client's doing{fault}"),
            None("stillConnected", Opened - OpenNow, $"{OpenNow} of {Opened} event streams are open at the end{fault}"),
            None("delivered", Counts.Delivered > 0 ? 0 : 1,
                $"{Counts.Delivered} deliveries of {Counts.Publications} publications to {Opened} clients"),
            None("lostDeliveries", Counts.Lost, $"{Counts.Lost} deliveries are missing, {Counts.Delivered} came"),
            None("doubledDeliveries", Counts.Doubled, $"{Counts.Doubled} deliveries came again"),
            None("reorderedEvents", Counts.OutOfOrder, $"{Counts.OutOfOrder} events came after later ones of their stream"),
            None("sequenceGaps", Counts.Gaps, $"{Counts.Gaps} numbers are missing between those that clients saw of a stream"),
            None("foreignEvents", Counts.Foreign, $"{Counts.Foreign} events have no place in this load{fault}"),
        ];

        static CheckResult None(string name, long value, FormattableString reason) =>
            CheckResult.AtMost(name, CheckSubject.System, value, 0, reason);
    }
}

/// <summary>Something that every client must receive.</summary>
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

    /// <summary>Monotonic ticks just before its request left.</summary>
    public long PublishedTicks { get; }

    /// <summary>Clients that have it.</summary>
    public int Received => Volatile.Read(ref _received);

    /// <summary>Clients that must have it and do not.</summary>
    public int Missing => Math.Max(0, _expected - Received);

    /// <summary>Ends when every client has it, with the monotonic ticks of the last receipt.</summary>
    public Task<long> Everywhere => _everywhere.Task;

    /// <returns>False where this client has it already.</returns>
    internal bool TryAdd(int client, long ticks)
    {
        // What everybody has needs no bits any more: whatever comes later comes again.
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

    /// <summary>Counts a client that was added.</summary>
    internal void Arrived()
    {
        if (Interlocked.Increment(ref _received) == _expected)
        {
            Volatile.Write(ref _clients, null);
            _everywhere.TrySetResult(Volatile.Read(ref _lastTicks));
        }
    }
}
