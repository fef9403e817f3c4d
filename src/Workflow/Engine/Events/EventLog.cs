using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Workflow.Engine.Events;

/// <summary>
/// The committed events of one stream: the newest in memory, older ones in the store. Readers pull from their own position, so that a slow
/// reader delays no other.
/// </summary>
/// <param name="window">Events in memory at most.</param>
/// <param name="maxSize">What they may be large together, in bytes of payload and a few for each.</param>
/// <param name="anyGrew">Signal of all logs of the engine together, set when this one grows; null where nobody reads several.</param>
internal sealed class EventLog(int stream, int window, long maxSize, IWorkflowStore store, ReaderSignal? anyGrew = null)
{
    /// <summary>Bytes of an event besides its payload, about.</summary>
    private const int BareSize = 512;

    /// <summary>Events read from the store at once: each may be as large as an instance.</summary>
    private const int StorePage = 64;

    /// <summary>Bytes after which such a page ends: a slow reader keeps it.</summary>
    private const int MaxStorePageSize = 1_048_576;

    /// <summary>Events, the newest by turns, of which readers share what they read.</summary>
    private const int Shared = 16;

    private readonly Lock _gate = new();
    private readonly HeldEvent[] _ring = new HeldEvent[window];
    private readonly (EventPosition At, PositionedEvent Next)[] _shared = new (EventPosition, PositionedEvent)[Shared];
    private readonly ChangeSignal _grew = new();
    private long _last;
    private int _held;
    private long _size;
    private bool _written;

    /// <summary>Of an event of the last page that the store has given: where they are large, it is asked for fewer.</summary>
    private int _meanSize;

    public int Stream => stream;

    public long Last => Volatile.Read(ref _last);

    /// <summary>A lane begins to write the stream here: sets the end that the store has; memory is empty then.</summary>
    public void Begin(long lastSequence) => Set(lastSequence, isWritten: true);

    /// <summary>The lane writes no more.</summary>
    public void End()
    {
        lock (_gate)
        {
            _written = false;
        }
    }

    /// <summary>The stream has come so far on another node. Nothing happens when it is written here.</summary>
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
                DropOldest();
            }

            Volatile.Write(ref _last, lastSequence);
        }

        Signal();
    }

    /// <param name="committed">When they were; null where that is not known. An event is stamped with it once somebody reads it.</param>
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
                    DropOldest();
                }

                var size = BareSize + PayloadBytes(next);
                _ring[(_last + 1) % window] = new(next, size, committed);
                Volatile.Write(ref _last, _last + 1);
                _held++;
                _size += size;
                while (_size > maxSize && _held > 1)
                {
                    DropOldest();
                }
            }

        }

        Signal();
    }

    /// <summary>Completes when the stream grows. Take it before reading, so that no event in between is missed.</summary>
    public Task Changed => _grew.Next;

    /// <summary>Events after a position, at most so many; empty when there are none. What was trimmed is missing.</summary>
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

    /// <summary>The event after a position, where memory has it. Readers at one position share what is made for the first.</summary>
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

    /// <summary>One that memory holds, stamped for its first reader and all after it.</summary>
    private IntegrationEvent Stamped(long sequence)
    {
        ref var held = ref _ring[sequence % window];
        if (held.Unstamped is { } committed)
        {
            held = held with { Event = committed.Stamp(held.Event), Unstamped = null };
        }

        return held.Event;
    }

    private void DropOldest()
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

/// <summary>An event in memory.</summary>
/// <param name="Size">In bytes, about.</param>
/// <param name="Unstamped">When it was committed, until it is stamped with that: nobody may read it, and stamping it is to copy it.</param>
internal readonly record struct HeldEvent(IntegrationEvent Event, int Size, CommitTime? Unstamped);

/// <summary>When a batch was committed.</summary>
internal sealed record CommitTime(DateTimeOffset Utc, long Ticks)
{
    public IntegrationEvent Stamp(IntegrationEvent committed) =>
        committed with { Timestamps = committed.Timestamps with { CommittedUtc = Utc, CommittedTicks = Ticks } };
}

/// <summary>Wakes all who wait, at each change. Costs nothing while nobody waits.</summary>
internal sealed class ChangeSignal
{
    private TaskCompletionSource? _waited;

    /// <summary>Completes when it is set next. Take it before reading, so that no change in between is missed.</summary>
    public Task Next
    {
        get
        {
            if (Volatile.Read(ref _waited) is { } waited)
            {
                return waited.Task;
            }

            var opened = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return (Interlocked.CompareExchange(ref _waited, opened, null) ?? opened).Task;
        }
    }

    public void Set() => Interlocked.Exchange(ref _waited, null)?.SetResult();
}
