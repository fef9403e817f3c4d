using Foundation;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine.Activities;
using Workflow.Engine.Commands;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <content>The flush: begin, complete, release what the commit covers, and recover when it failed.</content>
internal sealed partial class Lane
{
    private const int MaxAttempts = 8;
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);

    /// <summary>How the last flush ended, set by the committer: null when it is committed.</summary>
    public FlushException? Outcome { get; set; }

    /// <summary>Closes the open batch and turns it into rows, on the committer's thread.</summary>
    /// <param name="awaited">How many callers wait for it.</param>
    /// <returns>Null when there is nothing to commit any more.</returns>
    public LaneFlush? SealBatch(out int awaited)
    {
        lock (_batchGate)
        {
            awaited = 0;
            if (_flush is null || _batchInFlight is not null)
            {
                // A reload came between, which repeats the commands, perhaps in a batch that is taken already.
                return null;
            }

            _batchInFlight = TakeBatch(out awaited);
            try
            {
                var rows = _batchInFlight.Seal(_json, _executor.LastSequence);
                rows.Number = _lastBatch + 1;
                rows.PublishedSequence = PublishedSequence;
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

    /// <summary>The flush is over; the loop goes on from its outcome.</summary>
    public void EndFlush()
    {
        _flush!.SetResult();
        _wake.Set();
    }

    private void BeginFlush()
    {
        if (!_executor.Batch.HasRows && _services.IsLeaseFresh())
        {
            // Nothing to write, and nothing in flight that it could depend on: release at once. After the lease only the store knows
            // whether this node is still the owner: an empty batch asks it.
            Release(TakeBatch(), committed: false);
            return;
        }

        _flush = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _committer.Offer(this);
    }

    private CommandBatch TakeBatch() => TakeBatch(out _);

    /// <summary>Closes the open batch.</summary>
    private CommandBatch TakeBatch(out int awaited)
    {
        lock (_batchGate)
        {
            var batch = _executor.TakeBatch();
            awaited = batch.Commands.Count(c => c.IsAwaited);
            _committer.Waits(-awaited);
            return batch;
        }
    }

    private async ValueTask CompleteFlushAsync()
    {
        if (Outcome is { } error)
        {
            await RecoverAsync(error);
            return;
        }

        var committed = CloseFlush()!;
        CountCommit();
        if (_executor.Batch.HasRows)
        {
            // The store works on the next one while this one's callers are answered.
            BeginFlush();
        }

        Release(committed, committed: true);
    }

    /// <summary>Nothing is in flight or offered any more.</summary>
    private CommandBatch? CloseFlush()
    {
        lock (_batchGate)
        {
            var ended = _batchInFlight;
            _flush = null;
            _batchInFlight = null;
            return ended;
        }
    }

    private void CountCommit()
    {
        _lastBatch++;
        _repeatLimit = _repeats.Count == 0 ? int.MaxValue : (int)Math.Min(int.MaxValue, _repeatLimit * 2L);
    }

    private void Release(CommandBatch batch, bool committed)
    {
        _backlog.Progress(batch.Commands.Count);
        if (committed)
        {
            batch.Committed();
            _services.Telemetry.Flushed(batch.Commands.Count, batch.Tally);
            _flushes.Add(1);
            _flushedCommands.Add(batch.Commands.Count);
            CountInFlight(batch);
        }

        if (batch.Events.Count > 0)
        {
            var now = _services.Time.GetUtcNow();
            var ticks = _services.Time.GetTimestamp();
            Events.Append(batch.Events.ConvertAll(e => Stamp(e, now, ticks)));
        }

        Inbox.Removed(batch.Rows.MessagesRemoved);
        batch.Outgoing.ForEach(_services.Route);
        batch.Launches.ForEach(launch => launch());
        foreach (var command in batch.Commands)
        {
            // Last, so that the lane never looks idle while a part of the batch is still to leave.
            Resolve(command, c => c.Acknowledge());
        }

        _services.Progressed();

        static IntegrationEvent Stamp(IntegrationEvent e, DateTimeOffset now, long ticks) =>
            e with { Timestamps = e.Timestamps with { CommittedUtc = now, CommittedTicks = ticks } };
    }

    private void CountInFlight(CommandBatch batch)
    {
        _entered.Add(batch.Tally.Started + batch.Tally.Retried, batch.Tally.EnteredTicks);
        var ends = batch.Tally.Ends;
        if (ends.Count > 0 && Relays.Count == 0)
        {
            _left.Add(ends.Count, (Int128)ends.Count * _services.Time.GetTimestamp());
        }

        foreach (var relay in ends.Count > 0 ? Relays : [])
        {
            relay.ExpectEnds(ends, batch.Rows.LastSequence);
        }
    }

    /// <summary>
    /// Goes back to what is committed, and repeats every command that is not: within memory where nothing of the flush can have been
    /// committed, else by a reload.
    /// </summary>
    /// <param name="outcome">Of the flush that has just ended, or of a look-up; null when a command broke off.</param>
    private async ValueTask RecoverAsync(FlushException? outcome)
    {
        CommandBatch open;
        CommandBatch? inFlight;
        lock (_batchGate)
        {
            open = TakeBatch();
            inFlight = _batchInFlight;
            _flush = inFlight is null ? null : _flush;
        }

        if (_flush is not null)
        {
            // A command failed while a batch was in flight: what became of that comes first.
            await _flush.Task;
            outcome = Outcome;
        }

        CloseFlush();
        if (inFlight is not null && outcome is null)
        {
            CountCommit();
            Release(inFlight, committed: true);
            inFlight = null;
        }

        LaneCommand[] pending = [.. open.Commands, .. _taken];
        _taken.Clear();
        if (outcome is not null)
        {
            _services.Telemetry.FailedFlushes.Add(1);
            _failedFlushes.Add(1);
            Log.FlushFailed(_logger, outcome, Assignment.Index, inFlight?.Commands.Count ?? 0, outcome.Failure.ToString());
        }

        if (outcome is not (null or { Failure: FlushFailure.Rejected or FlushFailure.Conflict }))
        {
            await ReloadAsync(outcome, inFlight, pending);
            return;
        }

        _executor.RollBack(open);
        if (inFlight is not null)
        {
            _executor.RollBack(inFlight);
        }

        Repeat([.. inFlight is null ? [] : Isolate(inFlight, outcome!), .. pending, .. _repeats]);
    }

    /// <summary>Reloads memory from the store, and repeats every command that is not committed.</summary>
    private async ValueTask ReloadAsync(FlushException error, CommandBatch? inFlight, LaneCommand[] pending)
    {
        if (error.Failure == FlushFailure.Fenced)
        {
            Log.LaneFenced(_logger, error, Assignment.Index);
            _services.LaneLost(Assignment.Index);
            Refuse(
                [.. inFlight?.Commands ?? [], .. pending],
                Assignment.Node is null
                    ? new EngineStoppedException("the command (another engine has taken the store over)")
                    : new LaneMovedException(Assignment.Index, error));
            return;
        }

        _services.Telemetry.LaneReloads.Add(1);
        _reloads.Add(1);
        if (!await TryLoadWithRetriesAsync(error, inFlight?.Commands ?? [], pending))
        {
            // Every caller was refused meanwhile. If the batch was committed all the same, its events and messages still leave.
            pending = [];
            inFlight?.Commands.Clear();
        }

        IEnumerable<LaneCommand> uncommitted = [];
        if (inFlight is not null && inFlight.Rows.Number > 0 && _lastBatch == inFlight.Rows.Number)
        {
            Release(inFlight, committed: true);
        }
        else if (inFlight is not null)
        {
            uncommitted = inFlight.Commands;
        }

        Repeat([.. uncommitted.Concat(pending).Concat(_repeats).Where(c => !IsTooOften(c) && !IsInMemory(c))]);

        // The reloaded memory contains them; a message that it does not contain was applied before.
        bool IsInMemory(LaneCommand command)
        {
            var isGone = command is DeadLetterLaneCommand { Poison: MessageLaneCommand message }
                && _executor.IsGone(message.SubjectId);
            if (isGone || command is TimerLaneCommand or MessageLaneCommand)
            {
                Resolve(command, _ => { });
                return true;
            }

            return false;
        }

        bool IsTooOften(LaneCommand command)
        {
            if (!command.IsAwaited || ++command.Attempts <= MaxAttempts)
            {
                return false;
            }

            Resolve(command, c => c.Fail(new StoreUnavailableException(
                $"The {command.Description} was repeated {MaxAttempts} times and could not be committed.", outcomeUnknown: false)));
            return true;
        }
    }

    /// <summary>Halves the batch after a refusal, until the command to blame stands alone.</summary>
    private IEnumerable<LaneCommand> Isolate(CommandBatch refused, FlushException error)
    {
        if (error.Failure != FlushFailure.Rejected)
        {
            return refused.Commands;
        }

        if (refused.Commands is [var poison])
        {
            Reject(poison, error, $"The store refused the {poison.Description}: {error.Message}");
            return [];
        }

        _repeatLimit = Math.Max(1, refused.Commands.Count / 2);
        return refused.Commands;
    }

    private void Repeat(IReadOnlyList<LaneCommand> commands)
    {
        _repeats.Clear();
        _successors.ForEach(_repeats.Enqueue);
        _successors.Clear();
        foreach (var command in commands)
        {
            _repeats.Enqueue(command);
        }

        // The loop may be about to sleep.
        _wake.Set();
    }

    /// <summary>Rejects one command: accepted work becomes a dead letter, anything else fails its caller.</summary>
    private void Reject(LaneCommand command, Exception error, string message)
    {
        _services.Telemetry.RejectedCommands.Add(1);
        Log.CommandRejected(_logger, error, Assignment.Index, command.Description);
        switch (command)
        {
            case ActivityLaneCommand { IsFailure: false } activity:
                // Its result cannot be stored; a failure perhaps can.
                Replace(command, activity.Refused(message));
                break;
            case DeadLetterLaneCommand deadLetter:
                Log.DeadLetterRejected(_logger, error, Assignment.Index, deadLetter.Poison.Description);
                _quarantine.Add(
                    deadLetter.Poison is TimerLaneCommand timer ? timer.Subject : (deadLetter.Poison.SubjectId, default));
                Resolve(command, c => c.Fail(new CommandRejectedException(message, error)));
                break;
            case { CanDeadLetter: true }:
                Replace(command, new DeadLetterLaneCommand(command, _services.NewId(), message, attempts: 1));
                break;
            default:
                Resolve(command, c => c.Fail(new CommandRejectedException(message, error)));
                break;
        }
    }

    /// <summary>Replaces a command by its successor, which is repeated before all others and acknowledges both.</summary>
    private void Replace(LaneCommand command, LaneCommand successor)
    {
        _successors.Add(Internal(successor, command.AcceptedUtc));
        Resolve(command, _ => { });
    }

    /// <summary>Retries the load until the store is back. Commands wait for the tolerated time of an outage, then are refused.</summary>
    /// <returns>False when the held commands were refused.</returns>
    private async Task<bool> TryLoadWithRetriesAsync(
        FlushException cause, IReadOnlyList<LaneCommand> inFlight, IReadOnlyList<LaneCommand> pending)
    {
        LaneCommand[] held = [.. inFlight, .. pending];
        var refused = false;
        var since = _services.Time.GetTimestamp();
        var backoff = new Backoff(FirstPause, LongestPause, _services.Time);
        while (true)
        {
            try
            {
                await LoadAsync(_stopped.Token);
                _refusal = _lost ? new LaneMovedException(Assignment.Index) : null;
                return !refused;
            }
            catch (WorkflowException e) when (e is EngineAlreadyRunningException or LaneMovedException)
            {
                _services.LaneLost(Assignment.Index);
                var unknown = new StoreUnavailableException(
                    $"The flush was cut off ({cause.Message}) and another node has taken the lane over. The command may or may not be "
                    + "committed: repeat it with the same idempotency key.",
                    outcomeUnknown: true,
                    e);
                foreach (var command in refused ? [] : held)
                {
                    var isUnknown = cause.Failure == FlushFailure.Unavailable && inFlight.Contains(command);
                    Resolve(command, c => c.Fail(isUnknown ? unknown : e));
                }

                throw;
            }
            catch (Exception e)
            {
                Log.LoadFailed(_logger, e, Assignment.Index, backoff.Next.TotalMilliseconds);
                if (_services.Time.GetElapsedTime(since) >= _services.Options.OutageTolerance || _stopping)
                {
                    GiveUp(e);
                }

                await backoff.PauseAsync(CancellationToken.None);
            }
        }

        void GiveUp(Exception error)
        {
            var refusal = new StoreUnavailableException(
                $"The store has been unavailable for {_services.Time.GetElapsedTime(since).TotalSeconds:0.0} s ({error.Message}; at first: "
                + $"{cause.Message}). A command in flight may or may not be committed: repeat it with the same idempotency key.",
                outcomeUnknown: true,
                error);
            _refusal = refusal;
            foreach (var command in refused ? [] : held)
            {
                Resolve(command, c => c.Fail(refusal));
            }

            refused = true;
            FailEverything(refusal);
            if (_stopping)
            {
                throw refusal;
            }
        }
    }

    private async Task<long> LoadAsync(CancellationToken cancellationToken)
    {
        if (_store is not null)
        {
            await _store.DisposeAsync();
            _store = null;
        }

        _store = await _services.Store.OpenLaneAsync(Assignment, cancellationToken);
        var snapshot = await _store.LoadAsync(cancellationToken);
        await EnsureDefinitionsAsync(snapshot.Instances, snapshot.Messages, cancellationToken);
        var loaded = NewExecutor();
        loaded.Load(snapshot, _services.DefinitionOf);
        _lastBatch = snapshot.LastBatch;
        _executor = loaded;
        ReadGauges();
        Log.LaneLoaded(_logger, Assignment.Index, LiveInstances, BufferedSignals, snapshot.Messages.Count);
        foreach (var orphan in loaded.Instances.Orphans)
        {
            Log.OrphanFound(_logger, orphan.Id, orphan.Definition.Name, orphan.ParentId!.Value);
        }

        Inbox.Restart(Assignment.Node is null ? [] : snapshot.Messages.Select(m => m.Id));
        Relaunch();
        foreach (var former in _mailbox.TakeLoaded())
        {
            Resolve(former, _ => { });
        }

        foreach (var message in snapshot.Messages.Where(m => !IsDeadLettered(DeadLetterKind.Message, m.Id)))
        {
            // Before what the mailbox holds, which may have been sent after it.
            var command = new MessageLaneCommand(message, fromSnapshot: true, _services.DefinitionOf);
            Accept(command);
            _mailbox.AddLoaded(command);
        }

        _armed = null;
        _wake.Set();
        return snapshot.PublishedSequence;
    }

    /// <summary>Launches activities and receivers again that were in flight; those that still run are left alone.</summary>
    private void Relaunch()
    {
        foreach (var instance in _executor.Instances.Live.Values)
        {
            if (instance.State == InstanceState.Suspended)
            {
                // Once it is resumed.
                continue;
            }

            foreach (var wait in instance.Waits.Where(w => w.IsActivityRunning && !IsDeadLettered(DeadLetterKind.Activity, w.Id)))
            {
                if (_services.Activities.GetValueOrDefault(wait.Name!) is { } activity)
                {
                    Work.LaunchActivity(instance.Id, wait.Id, activity, wait.Input, instance.Trace);
                }
                else
                {
                    PostInternal(new ActivityLaneCommand(
                        instance.Id, wait.Id, default, new("it is not registered with this engine", IsFinal: true)));
                }
            }
        }

        foreach (var signal in _executor.Receiving.Where(s => !IsDeadLettered(DeadLetterKind.Signal, s.Id)))
        {
            Work.LaunchReceiver(signal.Id, _services.Receivers[signal.Name], signal.CorrelationKey!, SignalPayload.Of(signal));
        }
    }

    private void Refuse(List<LaneCommand> commands, WorkflowException refusal)
    {
        _refusal = refusal;
        commands.ForEach(c => Resolve(c, x => x.Fail(refusal)));
        FailEverything(refusal);
    }

    private void FailEverything(Exception error)
    {
        _successors.ForEach(s => Resolve(s, c => c.Fail(error)));
        _successors.Clear();
        foreach (var command in _taken.Concat(_repeats))
        {
            Resolve(command, c => c.Fail(error));
        }

        _taken.Clear();
        _repeats.Clear();

        EmptyMailbox(error);
    }

    private void Abandon(Exception error)
    {
        _refusal = error as WorkflowException ?? new EngineStoppedException($"the command (the lane broke: {error.Message})");
        foreach (var command in (_batchInFlight?.Commands ?? []).Concat(TakeBatch().Commands))
        {
            Resolve(command, c => c.Fail(_refusal));
        }

        FailEverything(_refusal);
    }
}
