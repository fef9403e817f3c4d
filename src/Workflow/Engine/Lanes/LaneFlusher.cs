namespace Workflow.Engine.Lanes;

/// <summary>
/// The batches of a lane: the open one, which commands change, and the one in flight. The loop adds to the open batch;
/// the committer seals it on its own thread.
/// </summary>
/// <param name="state">Empty memory, until a load replaces it.</param>
/// <param name="publishedSequence">Returns the published position, which is stored with each flush.</param>
internal sealed class LaneFlusher(
    LaneState state, IFlusher committer, Func<long> publishedSequence, AsyncAutoResetEvent wake)
    : IFlushSource
{
    private readonly Lock _gate = new();
    private readonly JsonBuffer _json = new();
    private LaneState _state = state;
    private ILaneStore? _store;
    private LaneBatch? _inFlight;
    private long _lastBatch;
    private bool _isOffered;
    private volatile bool _hasEnded;

    /// <summary>The memory that commands change.</summary>
    public LaneState State => _state;

    /// <summary>The failure of the last flush, set by the committer; null if it was committed.</summary>
    public FlushException? Outcome { get; set; }

    /// <summary>Whether the open batch was offered or another one is in flight.</summary>
    public bool IsOffered => _isOffered;

    public bool HasEnded => _hasEnded;

    /// <summary>The number of the last committed batch.</summary>
    public long LastBatch => _lastBatch;

    public int CommandsInFlight => Volatile.Read(ref _inFlight)?.Commands.Count ?? 0;

    public void Begin(LaneState state, ILaneStore store, long lastBatch)
    {
        lock (_gate)
        {
            _state = state;
            _store = store;
            _lastBatch = lastBatch;
        }
    }

    /// <summary>The commands of the batch in flight and of the open batch.</summary>
    public IReadOnlyList<LaneCommand> Commands()
    {
        lock (_gate)
        {
            return [.. _inFlight?.Commands ?? [], .. _state.Batch.Commands];
        }
    }

    /// <returns>Null if the command was applied; otherwise the exception, and the open batch may be partly
    /// changed.</returns>
    public Exception? Apply(LaneCommand command)
    {
        lock (_gate)
        {
            try
            {
                _state.Execute(command);
                committer.AddWaiting(command.IsAwaited ? 1 : 0);
                return null;
            }
            catch (Exception e)
            {
                _state.Batch.Commands.Remove(command);
                Withdraw();
                return e;
            }
        }
    }

    public void Offer()
    {
        _isOffered = true;
        committer.Offer(this);
    }

    public LaneFlush? SealBatch(out int awaited, out long size)
    {
        lock (_gate)
        {
            (awaited, size) = (0, 0);
            if (!_isOffered || _inFlight is not null)
            {
                // A recovery has begun in between. It repeats the commands, perhaps in a batch that is already taken.
                return null;
            }

            _inFlight = TakeOpenBatch(out awaited);
            size = _inFlight.Size;
            try
            {
                var rows = _inFlight.Seal(_json, _state.LastSequence);
                rows.LastPosition = _state.LastPosition;
                (rows.DormantInstances, rows.DormantTasks) = _state.Dormancy.CountAfter(_inFlight);
                rows.Number = _lastBatch + 1;
                rows.PublishedSequence = publishedSequence();
                return new(_store!, rows);
            }
            catch (Exception e)
            {
                // A value cannot be written, e.g. half of a surrogate pair. The lane isolates the command that caused
                // it.
                Outcome = new FlushException(FlushFailure.Rejected, e.Message, e);
                EndFlush();
                return null;
            }
        }
    }

    public void EndFlush()
    {
        _hasEnded = true;
        wake.Set();
    }

    /// <summary>Ends the flush: nothing is in flight or offered afterwards.</summary>
    public LaneBatch? TakeInFlight()
    {
        lock (_gate)
        {
            var ended = _inFlight;
            _isOffered = false;
            _hasEnded = false;
            _inFlight = null;
            return ended;
        }
    }

    /// <summary>Counts the batch that was in flight as committed.</summary>
    public void CountCommitted() => _lastBatch++;

    public LaneBatch TakeOpenBatch()
    {
        lock (_gate)
        {
            Withdraw();
            return TakeOpenBatch(out _);
        }
    }

    /// <summary>Withdraws the offer if the batch is not in flight yet.</summary>
    private void Withdraw() => _isOffered = _isOffered && _inFlight is not null;

    private LaneBatch TakeOpenBatch(out int awaited)
    {
        var batch = _state.TakeBatch();
        awaited = batch.Commands.Count(static c => c.IsAwaited);
        committer.AddWaiting(-awaited);
        return batch;
    }
}
