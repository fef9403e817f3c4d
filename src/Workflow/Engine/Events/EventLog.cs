using System.Runtime.CompilerServices;
using Workflow.Abstractions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;

namespace Workflow.Engine.Events;

/// <summary>
/// The committed events of one stream: the newest in memory, older ones in the store. Readers pull from their own position, so that a slow
/// reader delays no other.
/// </summary>
internal sealed class EventLog(int stream, int window, IWorkflowStore store)
{
    private readonly Lock _gate = new();
    private readonly IntegrationEvent?[] _ring = new IntegrationEvent?[window];
    private TaskCompletionSource _changed = NewSignal();
    private long _last;
    private int _held;
    private bool _written;

    public int Stream => stream;

    public long Last
    {
        get
        {
            lock (_gate)
            {
                return _last;
            }
        }
    }

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
        TaskCompletionSource changed;
        lock (_gate)
        {
            if (_written && !isWritten)
            {
                return;
            }

            _written = isWritten;
            _last = lastSequence;
            _held = 0;
            changed = _changed;
            _changed = NewSignal();
        }

        changed.SetResult();
    }

    public void Append(IReadOnlyList<IntegrationEvent> events)
    {
        if (events.Count == 0)
        {
            return;
        }

        TaskCompletionSource changed;
        lock (_gate)
        {
            foreach (var next in events)
            {
                _ring[++_last % window] = next;
            }

            _held = Math.Min(window, _held + events.Count);
            changed = _changed;
            _changed = NewSignal();
        }

        changed.SetResult();
    }

    /// <summary>Completes when the stream grows. Take it before reading, so that no event in between is missed.</summary>
    public Task Changed
    {
        get
        {
            lock (_gate)
            {
                return _changed.Task;
            }
        }
    }

    /// <summary>Events after a position, at most so many; empty when there are none. What was trimmed is missing.</summary>
    public async ValueTask<IReadOnlyList<(long Sequence, IntegrationEvent Event)>> ReadAsync(
        long after, int limit, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (after >= _last - _held)
            {
                return Held(after, limit);
            }
        }

        var rows = await store.ReadEventsAsync(stream, after, limit, cancellationToken);
        if (rows.Count > 0)
        {
            return [.. rows.Select(r => (r.Sequence, EventTypes.FromJson(r.Type, r.Body)))];
        }

        lock (_gate)
        {
            return Held(Math.Max(after, _last - _held), limit);
        }
    }

    private List<(long, IntegrationEvent)> Held(long after, int limit)
    {
        var found = new List<(long, IntegrationEvent)>();
        for (var sequence = after + 1; sequence <= _last && found.Count < limit; sequence++)
        {
            found.Add((sequence, _ring[sequence % window]!));
        }

        return found;
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}

/// <summary>Merges the streams of an engine for one reader.</summary>
internal static class EventReader
{
    private const int BatchSize = 256;

    public static async IAsyncEnumerable<PositionedEvent> ReadAsync(
        IReadOnlyList<EventLog> logs,
        EventPosition position,
        Func<IDisposable?> follow,
        CancellationToken stop,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(stop, cancellationToken);
        using var following = follow();
        while (!stop.IsCancellationRequested)
        {
            var found = false;
            Task[] changes = [.. logs.Select(l => l.Changed)];
            foreach (var log in logs)
            {
                foreach (var (sequence, next) in await log.ReadAsync(position[log.Stream], BatchSize, both.Token))
                {
                    found = true;
                    var missed = sequence - position[log.Stream] - 1;
                    position = position.With(log.Stream, sequence);
                    yield return new(next, position, missed);
                }
            }

            if (!found)
            {
                await Task.WhenAny(changes).WaitAsync(both.Token);
            }
        }
    }
}
