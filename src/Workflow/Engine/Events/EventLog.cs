using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;

namespace Workflow.Engine.Events;

/// <summary>
/// The committed events of one stream: the newest in memory, older ones in the store. Readers pull from their own position, so that a slow
/// one costs nobody anything.
/// </summary>
internal sealed class EventLog(int stream, int window, IWorkflowStore store)
{
    private readonly Lock _gate = new();
    private readonly IntegrationEvent?[] _ring = new IntegrationEvent?[window];
    private TaskCompletionSource _changed = NewSignal();
    private long _last;
    private int _held;

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

    /// <summary>Sets the end of the stream as the store knows it; nothing is held in memory then.</summary>
    public void Begin(long lastSequence)
    {
        TaskCompletionSource changed;
        lock (_gate)
        {
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

    /// <summary>Completes when something is appended after the position.</summary>
    public Task WaitAsync(long after)
    {
        lock (_gate)
        {
            return _last > after ? Task.CompletedTask : _changed.Task;
        }
    }

    /// <summary>Events after a position, at most so many; empty when there are none.</summary>
    public async ValueTask<IReadOnlyList<(long Sequence, IntegrationEvent Event)>> ReadAsync(long after, int limit, CancellationToken cancellationToken)
    {
        var found = new List<(long, IntegrationEvent)>();
        lock (_gate)
        {
            if (after >= _last)
            {
                return found;
            }

            if (after >= _last - _held)
            {
                for (var sequence = after + 1; sequence <= _last && found.Count < limit; sequence++)
                {
                    found.Add((sequence, _ring[sequence % window]!));
                }

                return found;
            }
        }

        var rows = await store.ReadEventsAsync(stream, after, limit, cancellationToken).ConfigureAwait(false);
        return [.. rows.Select(r => (r.Sequence, EventTypes.FromJson(r.Type, r.Body)))];
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
