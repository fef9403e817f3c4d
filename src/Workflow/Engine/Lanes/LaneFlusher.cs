using Workflow.Engine.Events;

namespace Workflow.Engine.Lanes;

/// <summary>
/// The batches of a lane: the open one, which commands change, and the one in flight. The loop adds to the open one, the committer seals it
/// from its own thread.
/// </summary>
/// <param name="executor">Empty memory, until a load sets another.</param>
/// <param name="publishedSequence">How far events are published: stored with each flush.</param>
/// <param name="wake">Wakes the loop once a flush is over.</param>
internal sealed class LaneFlusher(LaneExecutor executor, IFlusher committer, Func<long> publishedSequence, AsyncAutoResetEvent wake)
    : IFlushSource
{
    private readonly Lock _gate = new();
    private readonly JsonBuffer _json = new();
    private LaneExecutor _executor = executor;
    private ILaneStore? _store;
    private CommandBatch? _inFlight;
    private long _lastBatch;
    private bool _isOffered;
    private volatile bool _hasEnded;

    /// <summary>The memory that commands change.</summary>
    public LaneExecutor Executor => _executor;

    /// <summary>How the last flush ended, set by the committer: null when it is committed.</summary>
    public FlushException? Outcome { get; set; }

    /// <summary>Whether the open batch was offered, or another one is in flight.</summary>
    public bool IsOffered => _isOffered;

    /// <summary>Whether the flush is over, and <see cref="Outcome"/> says how.</summary>
    public bool HasEnded => _hasEnded;

    /// <summary>The number of the last batch that is committed.</summary>
    public long LastBatch => _lastBatch;

    public int CommandsInFlight => Volatile.Read(ref _inFlight)?.Commands.Count ?? 0;

    /// <summary>Memory was loaded.</summary>
    public void Begin(LaneExecutor executor, ILaneStore store, long lastBatch)
    {
        lock (_gate)
        {
            _executor = executor;
            _store = store;
            _lastBatch = lastBatch;
        }
    }

    /// <summary>The commands in flight and those of the open batch.</summary>
    public IReadOnlyList<LaneCommand> Commands()
    {
        lock (_gate)
        {
            return [.. _inFlight?.Commands ?? [], .. _executor.Batch.Commands];
        }
    }

    /// <summary>Applies a command: it belongs to the open batch.</summary>
    /// <returns>Null when it was applied; else why it broke off, and the open batch may be half changed.</returns>
    public Exception? Apply(LaneCommand command)
    {
        lock (_gate)
        {
            try
            {
                _executor.Execute(command);
                committer.Waits(command.IsAwaited ? 1 : 0);
                return null;
            }
            catch (Exception e)
            {
                _executor.Batch.Commands.Remove(command);
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
                // A recovery came between, which repeats the commands, perhaps in a batch that is taken already.
                return null;
            }

            _inFlight = TakeOpen(out awaited);
            size = _inFlight.Size;
            try
            {
                var rows = _inFlight.Seal(_json, _executor.LastSequence);
                rows.Number = _lastBatch + 1;
                rows.PublishedSequence = publishedSequence();
                return new(_store!, rows);
            }
            catch (Exception e)
            {
                // A value cannot be written, e.g. half of a surrogate pair: some command of the batch is to blame.
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

    /// <summary>Nothing is in flight or offered any more.</summary>
    /// <returns>The batch that was in flight.</returns>
    public CommandBatch? Close()
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

    /// <summary>The batch that was in flight is committed.</summary>
    public void Committed() => _lastBatch++;

    /// <summary>Closes the open batch, which is not flushed.</summary>
    public CommandBatch TakeOpen()
    {
        lock (_gate)
        {
            Withdraw();
            return TakeOpen(out _);
        }
    }

    /// <summary>What is not in flight is not offered any more.</summary>
    private void Withdraw() => _isOffered = _isOffered && _inFlight is not null;

    private CommandBatch TakeOpen(out int awaited)
    {
        var batch = _executor.TakeBatch();
        awaited = batch.Commands.Count(static c => c.IsAwaited);
        committer.Waits(-awaited);
        return batch;
    }
}

/// <summary>What leaves a lane once a batch is committed, in this order: counts, events, messages, launches, acknowledgements.</summary>
internal sealed class LaneRelease(LaneServices services, LaneIntake intake, EventLog events, IReadOnlyList<EventRelay> relays)
{
    private readonly InFlightTerm _entered = new();
    private readonly InFlightTerm _left = new();
    private readonly Count _flushes = new();
    private readonly Count _flushedCommands = new();

    public long Flushes => _flushes.Value;
    public long FlushedCommands => _flushedCommands.Value;

    /// <summary>The last event that every publisher has taken.</summary>
    public long PublishedSequence => relays.Count == 0 ? events.Last : relays.Min(r => r.Published);

    /// <summary>Instances were loaded that are in flight.</summary>
    public void Begin(int live) => _entered.Add(live, (Int128)live * services.Time.GetTimestamp());

    /// <param name="committed">False for a batch that changed nothing durable.</param>
    public void Release(CommandBatch batch, bool committed)
    {
        intake.Backlog.Progress(batch.Commands.Count);
        if (committed)
        {
            batch.Committed();
            services.Telemetry.Flushed(batch.Commands.Count, batch.Tally);
            _flushes.Add(1);
            _flushedCommands.Add(batch.Commands.Count);
            CountInFlight(batch);
        }

        if (batch.Events.Count > 0)
        {
            events.Append(batch.Events, new(services.Time.GetUtcNow(), services.Time.GetTimestamp()));
        }

        try
        {
            intake.Inbox.Removed(batch.Handled);
            batch.Outgoing.ForEach(services.Route);
            batch.Launches.ForEach(launch => launch());
        }
        finally
        {
            // Last, so that the lane never looks idle while a part of the batch is still to leave. What is committed is acknowledged.
            foreach (var command in batch.Commands)
            {
                intake.Resolve(command, c => c.Acknowledge());
            }
        }

        services.Progressed();
    }

    /// <summary>Instances in flight now, and their integral over the engine's clock, in instances times its ticks.</summary>
    public (long Count, Int128 Ticks) ReadInFlight()
    {
        // An instance enters before it leaves: read in this order, none has left that did not enter.
        var left = relays.Count == 0 ? [_left.Read()] : relays.Select(r => r.Left.Read()).ToArray();
        var (entered, enteredTicks) = _entered.Read();
        var now = services.Time.GetTimestamp();
        return (left.Max(l => entered - l.Count), left.Max(l => ((Int128)(entered - l.Count) * now) - (enteredTicks - l.Ticks)));
    }

    private void CountInFlight(CommandBatch batch)
    {
        _entered.Add(batch.Tally.Started + batch.Tally.Retried, batch.Tally.EnteredTicks);
        var ends = batch.Tally.Ends;
        if (ends.Count > 0 && relays.Count == 0)
        {
            _left.Add(ends.Count, (Int128)ends.Count * services.Time.GetTimestamp());
        }

        foreach (var relay in ends.Count > 0 ? relays : [])
        {
            relay.ExpectEnds(ends, batch.Rows.LastSequence);
        }
    }
}
