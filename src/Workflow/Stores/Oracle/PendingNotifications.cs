using Workflow.Abstractions;

namespace Workflow.Stores.Oracle;

/// <summary>
/// Notifications that wait to be sent, each lane and delay once, and what became of all of them. Adding never waits.
/// </summary>
internal sealed class PendingNotifications
{
    private const int Most = 1_024;

    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _some = new(0, 1);
    private readonly HashSet<(int Lane, int DelaySeconds)> _waiting = [];
    private int _unsettled;
    private long _sent;
    private long _coalesced;
    private long _lost;
    private bool _isClosed;

    public NotificationCounts Counts
    {
        get
        {
            lock (_gate)
            {
                return new(_sent, _coalesced, _lost, Received: 0);
            }
        }
    }

    public void Add(int lane, int delaySeconds)
    {
        lock (_gate)
        {
            if (_isClosed)
            {
                return;
            }

            if (_waiting.Contains((lane, delaySeconds)))
            {
                _coalesced++;
            }
            else if (_waiting.Count == Most)
            {
                _lost++;
            }
            else
            {
                _waiting.Add((lane, delaySeconds));
                if (_some.CurrentCount == 0)
                {
                    _some.Release();
                }
            }
        }
    }

    /// <summary>Waits for a notification and takes all that wait.</summary>
    public async Task<IReadOnlyList<(int Lane, int DelaySeconds)>> TakeAsync(CancellationToken cancellationToken)
    {
        await _some.WaitAsync(cancellationToken).ConfigureAwait(false);
        lock (_gate)
        {
            var taken = _waiting.ToArray();
            _waiting.Clear();
            _unsettled = taken.Length;
            return taken;
        }
    }

    public void CountSent(int count)
    {
        lock (_gate)
        {
            _sent += count;
            _unsettled -= count;
        }
    }

    /// <summary>Those taken last that were not sent are lost.</summary>
    public void SettleTaken()
    {
        lock (_gate)
        {
            _lost += _unsettled;
            _unsettled = 0;
        }
    }

    /// <summary>From now on nothing is added.</summary>
    /// <returns>False when it was closed before.</returns>
    public bool Close()
    {
        lock (_gate)
        {
            (var was, _isClosed) = (_isClosed, true);
            _lost += _waiting.Count;
            _waiting.Clear();
            return !was;
        }
    }
}
