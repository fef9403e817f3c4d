using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Workflow.Engine.Events;

/// <summary>
/// The committed events of one stream: the newest in memory, older ones in the store. Readers pull from their own
/// position, so a slow reader does not delay the others.
/// </summary>
/// <param name="window">The maximum number of events in memory.</param>
/// <param name="maxSize">The maximum size of the events in memory, in bytes.</param>
/// <param name="anyGrew">The signal that all logs of the engine share, set when this log grows; null if there is no
/// such reader.</param>
internal sealed class EventLog(int stream, int window, long maxSize, IWorkflowStore store, ReaderSignal? anyGrew = null)
{
    /// <summary>The approximate size of an event without its payload, in bytes.</summary>
    private const int BareSize = 512;

    /// <summary>The maximum number of events in one read from the store. Each may be as large as an instance.</summary>
    private const int StorePage = 64;

    /// <summary>
    /// The number of bytes after which such a read ends, because a slow reader keeps its events in memory.
    /// </summary>
    private const int MaxStorePageSize = 1_048_576;

    /// <summary>The number of recent events that readers share.</summary>
    private const int Shared = 16;

    private readonly Lock _gate = new();
    private readonly HeldEvent[] _ring = new HeldEvent[window];
    private readonly (EventPosition At, PositionedEvent Next)[] _shared = new (EventPosition, PositionedEvent)[Shared];
    private readonly ChangeSignal _grew = new();
    private long _last;
    private int _held;
    private long _size;
    private bool _written;

    /// <summary>
    /// The mean size of the events in the last read from the store. Large events are read in smaller numbers.
    /// </summary>
    private int _meanSize;

    public int Stream => stream;

    public long Last => Volatile.Read(ref _last);

    /// <summary>
    /// A lane starts to write the stream here: sets the end of the stream in the store. Memory is empty then.
    /// </summary>
    public void Begin(long lastSequence) => Set(lastSequence, isWritten: true);

    /// <summary>The lane no longer writes the stream.</summary>
    public void End()
    {
        lock (_gate)
        {
            _written = false;
        }
    }

    /// <summary>
    /// Records the end of a stream that another node writes. Nothing happens if a lane writes it here.
    /// </summary>
    public void Advance(long lastSequence)
    {
        lock (_gate)
        {
            if (_written || lastSequence <= _last)
            {
                return;
            }
        }

        Set(lastSequence, isWritten: false);
    }

    private void Set(long lastSequence, bool isWritten)
    {
        lock (_gate)
        {
            if (_written && !isWritten)
            {
                return;
            }

            _written = isWritten;
            while (_held > 0)
            {
                RemoveOldest();
            }

            Volatile.Write(ref _last, lastSequence);
        }

        Signal();
    }

    /// <param name="committed">The time of their commit; null if it is unknown. An event gets this time when it is
    /// first read.</param>
    public void Append(IReadOnlyList<IntegrationEvent> events, CommitTime? committed = null)
    {
        if (events.Count == 0)
        {
            return;
        }

        lock (_gate)
        {
            foreach (var next in events)
            {
                if (_held == window)
                {
                    RemoveOldest();
                }

                var size = BareSize + PayloadBytes(next);
                _ring[(_last + 1) % window] = new(next, size, committed);
                Volatile.Write(ref _last, _last + 1);
                _held++;
                _size += size;
                while (_size > maxSize && _held > 1)
                {
                    RemoveOldest();
                }
            }

        }

        Signal();
    }

    /// <summary>
    /// Completes when the stream grows. Take it before reading, so that no event in between is missed.
    /// </summary>
    public Task Changed => _grew.Next;

    /// <summary>Reads events after a position; empty if there are none. Trimmed events are missing.</summary>
    public async ValueTask<IReadOnlyList<(long Sequence, IntegrationEvent Event)>> ReadAsync(
        long after, int limit, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (after >= _last - _held)
            {
                return ReadHeld(after, limit);
            }
        }

        var most = Math.Clamp(MaxStorePageSize / (Volatile.Read(ref _meanSize) + 1), 1, Math.Min(limit, StorePage));
        var rows = await store.ReadEventsAsync(stream, after, most, cancellationToken);
        if (rows.Count > 0)
        {
            var (taken, size) = (0, 0);
            while (taken < rows.Count && size < MaxStorePageSize)
            {
                size += rows[taken++].Body.Length;
            }

            Volatile.Write(ref _meanSize, size / taken);
            return [.. rows.Take(taken).Select(r => (r.Sequence, EventTypes.FromJson(r.Type, r.Body)))];
        }

        lock (_gate)
        {
            return ReadHeld(Math.Max(after, _last - _held), limit);
        }
    }

    /// <summary>
    /// Reads the event after a position if it is in memory. Readers at the same position share the result.
    /// </summary>
    public bool TryReadNext(EventPosition position, [NotNullWhen(true)] out PositionedEvent? next)
    {
        var after = position[stream];
        lock (_gate)
        {
            if (after >= _last || after < _last - _held)
            {
                next = null;
                return false;
            }

            var found = Stamped(after + 1);
            ref var shared = ref _shared[(after + 1) % Shared];
            if (!ReferenceEquals(shared.Next?.Event, found) || !shared.At.Equals(position))
            {
                shared = (position, new(found, position.With(stream, after + 1)));
            }

            next = shared.Next;
            return true;
        }
    }

    private List<(long, IntegrationEvent)> ReadHeld(long after, int limit)
    {
        var found = new List<(long, IntegrationEvent)>((int)Math.Clamp(_last - after, 0, limit));
        for (var sequence = after + 1; sequence <= _last && found.Count < limit; sequence++)
        {
            found.Add((sequence, Stamped(sequence)));
        }

        return found;
    }

    /// <summary>Returns an event in memory and adds its commit time for the first reader and all later ones.</summary>
    private IntegrationEvent Stamped(long sequence)
    {
        ref var held = ref _ring[sequence % window];
        if (held.Unstamped is { } committed)
        {
            held = held with { Event = committed.Stamp(held.Event), Unstamped = null };
        }

        return held.Event;
    }

    private void RemoveOldest()
    {
        ref var oldest = ref _ring[(_last - _held + 1) % window];
        _size -= oldest.Size;
        _held--;
        oldest = default;
    }

    private static int PayloadBytes(IntegrationEvent next) => next switch
    {
        InstanceCompleted { Output: { } output } => JsonMarshal.GetRawUtf8Value(output).Length,
        EventRaised { Payload: { } payload } => JsonMarshal.GetRawUtf8Value(payload).Length,
        SignalReceived { Payload: { } payload } => JsonMarshal.GetRawUtf8Value(payload).Length,
        TaskCompleted { Output: { } output } => JsonMarshal.GetRawUtf8Value(output).Length,
        _ => 0,
    };

    private void Signal()
    {
        _grew.Set();
        anyGrew?.Set();
    }
}

/// <param name="Unstamped">The commit time that the event does not contain yet; null when it does. Timestamps are
/// applied lazily because applying them copies the event.</param>
internal readonly record struct HeldEvent(IntegrationEvent Event, int Size, CommitTime? Unstamped);

internal sealed record CommitTime(DateTimeOffset Utc, long Ticks)
{
    public IntegrationEvent Stamp(IntegrationEvent committed) =>
        committed with { Timestamps = committed.Timestamps with { CommittedUtc = Utc, CommittedTicks = Ticks } };
}
