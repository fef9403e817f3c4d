using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Events;
using Workflow.Engine.Commands;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Execution;
using Workflow.Engine.Signals;

namespace Workflow.Engine.Lanes;

/// <content>Flushing, releasing what a commit covers, and recovering from a flush that failed.</content>
internal sealed partial class Lane
{
    private const int MaxAttempts = 8;
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);

    private async ValueTask TakeOffAsync()
    {
        _flying = _executor.TakeBatch();
        FlushBatch rows;
        try
        {
            rows = _flying.Seal(_codec, _executor.State.LastSequence);
        }
        catch (Exception e)
        {
            // What an activity returned cannot be written, e.g. half of a surrogate pair: some command of the batch is to blame.
            await ReloadAsync(new FlushException(FlushFailure.Rejected, e.Message, e), []).ConfigureAwait(false);
            return;
        }

        if (rows.IsEmpty && _services.IsLeaseFresh())
        {
            // Nothing to write and nothing under way that it could depend on: answer at once. Past the lease only the store can tell whether
            // memory still counts: a batch of nothing asks it.
            var empty = _flying;
            _flying = null;
            Release(empty, committed: false);
            return;
        }

        rows.Number = _lastBatch + 1;
        rows.PublishedSequence = PublishedSequence;
        _flight = FlushAsync(rows);
        if (!_flight.IsCompleted)
        {
            // The lane looks at the flight itself; this only wakes it.
            _ = _flight.ContinueWith(_ => _signal.Set(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }
    }

    private async Task<FlushException?> FlushAsync(FlushBatch rows)
    {
        try
        {
            await _store!.FlushAsync(rows, CancellationToken.None).ConfigureAwait(false);
            return null;
        }
        catch (FlushException e)
        {
            return e;
        }
        catch (Exception e)
        {
            return new FlushException(FlushFailure.Unavailable, e.Message, e);
        }
    }

    private async ValueTask LandAsync()
    {
        var error = await _flight!.ConfigureAwait(false);
        _flight = null;
        if (error is not null)
        {
            await ReloadAsync(error, []).ConfigureAwait(false);
            return;
        }

        var landed = _flying!;
        _flying = null;
        _lastBatch++;
        _repeatLimit = _repeats.Count == 0 ? int.MaxValue : (int)Math.Min(int.MaxValue, _repeatLimit * 2L);
        Release(landed, committed: true);
    }

    private void Release(LaneBatch batch, bool committed)
    {
        if (committed)
        {
            _services.Telemetry.Flushed(batch.Commands.Count, batch.Tally);
            CountPassages(batch);
        }

        if (batch.Events.Count > 0)
        {
            var now = _services.Time.GetUtcNow();
            var ticks = _services.Time.GetTimestamp();
            Events.Append(batch.Events.ConvertAll(e => Stamp(e, now, ticks)));
        }

        Inbox.Handled(batch.Rows.MessagesRemoved);
        batch.Outgoing.ForEach(_services.Route);
        batch.Launches.ForEach(launch => launch());
        foreach (var command in batch.Commands)
        {
            // Last, so that the lane never looks idle while something of the batch has not left yet.
            Finish(command, c => c.Acknowledge());
        }

        _services.Progressed();

        static IntegrationEvent Stamp(IntegrationEvent e, DateTimeOffset now, long ticks) =>
            e with { Timestamps = e.Timestamps with { CommittedUtc = now, CommittedTicks = ticks } };
    }

    private void CountPassages(LaneBatch batch)
    {
        _entered.Add(batch.Tally.Started, batch.Tally.StartedTicks);
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

    /// <summary>Throws the memory away, reads what is committed, and repeats every command that is not: also those taken and not yet applied.</summary>
    private async ValueTask ReloadAsync(FlushException error, IReadOnlyList<LaneCommand> taken)
    {
        var flying = _flying;
        LaneCommand[] pending = [.. _executor.TakeBatch().Commands, .. taken];
        _services.Telemetry.FlushFailed();
        Log.FlushFailed(_logger, error, Assignment.Index, flying?.Commands.Count ?? 0, error.Failure.ToString());
        if (_flight is not null)
        {
            // A command broke off while a batch was on its way: its outcome decides what is repeated.
            error = await _flight.ConfigureAwait(false) ?? error;
            _flight = null;
        }

        _flying = null;
        if (error.Failure == FlushFailure.Fenced)
        {
            Log.LaneFenced(_logger, error, Assignment.Index);
            _services.LaneLost(Assignment.Index);
            Refuse(
                [.. flying?.Commands ?? [], .. pending],
                Assignment.Node is null ? new EngineStoppedException("the command (another engine has taken the store over)") : new LaneMovedException(Assignment.Index, error));
            return;
        }

        if (!await TryLoadWithPatienceAsync(error, flying?.Commands ?? [], pending).ConfigureAwait(false))
        {
            // Every caller was refused meanwhile; what a batch that was committed all the same has to send still leaves.
            pending = [];
            flying?.Commands.Clear();
        }

        var repeat = pending.AsEnumerable();
        if (flying is not null && flying.Rows.Number > 0 && _lastBatch == flying.Rows.Number)
        {
            Release(flying, committed: true);
        }
        else if (flying is not null)
        {
            repeat = Isolate(flying, error).Concat(pending);
        }

        Repeat([.. repeat, .. _repeats]);
    }

    /// <summary>Halves the batch after a refusal, until the command to blame stands alone.</summary>
    private IEnumerable<LaneCommand> Isolate(LaneBatch refused, FlushException error)
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
            if (command is TimerLaneCommand or MessageLaneCommand)
            {
                // The reloaded memory brings them up again.
                Finish(command, _ => { });
            }
            else if (command.IsAwaited && ++command.Attempts > MaxAttempts && _repeatLimit == int.MaxValue)
            {
                Finish(command, c => c.Fail(new StoreUnavailableException($"The {command.Description} was repeated {MaxAttempts} times and could not be committed.", outcomeUnknown: false)));
            }
            else
            {
                _repeats.Enqueue(command);
            }
        }
    }

    /// <summary>Gives a command up alone: what was accepted becomes a dead letter, and a caller whose command was not is told.</summary>
    private void Reject(LaneCommand command, Exception error, string message)
    {
        _services.Telemetry.CommandRejected();
        Log.CommandRejected(_logger, error, Assignment.Index, command.Description);
        switch (command)
        {
            case ActivityLaneCommand { IsFailure: false } activity:
                // Its result cannot be kept; that it has failed perhaps can.
                Replace(command, activity.Refused(message));
                break;
            case DeadLetterLaneCommand letter:
                Log.LetterRejected(_logger, error, Assignment.Index, letter.Poison.Description);
                _quarantine.Add(letter.Poison is TimerLaneCommand timer ? Subject(timer.Entry) : (letter.Poison.SubjectId, default));
                Finish(command, c => c.Fail(new CommandRejectedException(message, error)));
                break;
            case { CanBePutAside: true }:
                Replace(command, new DeadLetterLaneCommand(command, Guid.CreateVersion7(_services.Time.GetUtcNow()), message, attempts: 1));
                break;
            default:
                Finish(command, c => c.Fail(new CommandRejectedException(message, error)));
                break;
        }
    }

    /// <summary>The successor is repeated before all others, so that what it puts aside does not come up again first; it answers for both.</summary>
    private void Replace(LaneCommand command, LaneCommand successor)
    {
        _successors.Add(Internal(successor, command.AcceptedUtc));
        Finish(command, _ => { });
    }

    /// <summary>Loads, however long the store is away; commands wait as long as the outage is tolerated and are refused then.</summary>
    /// <returns>False when the commands held were refused.</returns>
    private async Task<bool> TryLoadWithPatienceAsync(FlushException cause, IReadOnlyList<LaneCommand> flying, IReadOnlyList<LaneCommand> pending)
    {
        LaneCommand[] held = [.. flying, .. pending];
        var refused = false;
        var since = _services.Time.GetTimestamp();
        for (var pause = FirstPause; ; pause = pause * 2 > LongestPause ? LongestPause : pause * 2)
        {
            try
            {
                await LoadAsync(_stopped.Token).ConfigureAwait(false);
                _refusal = _lost ? new LaneMovedException(Assignment.Index) : null;
                return !refused;
            }
            catch (WorkflowException e) when (e is EngineAlreadyRunningException or LaneMovedException)
            {
                _services.LaneLost(Assignment.Index);
                var unknown = new StoreUnavailableException(
                    $"The flush was cut off ({cause.Message}) and the lane is with another node by now. The command may or may not be committed: repeat it with the same idempotency key.",
                    outcomeUnknown: true,
                    e);
                foreach (var command in refused ? [] : held)
                {
                    var isUnknown = cause.Failure == FlushFailure.Unavailable && flying.Contains(command);
                    Finish(command, c => c.Fail(isUnknown ? unknown : e));
                }

                throw;
            }
            catch (Exception e)
            {
                Log.LoadFailed(_logger, e, Assignment.Index, pause.TotalMilliseconds);
                if (_services.Time.GetElapsedTime(since) >= _services.Options.OutageTolerance || _stopping)
                {
                    GiveUp(e);
                }

                await Task.Delay(pause, _services.Time, CancellationToken.None).ConfigureAwait(false);
            }
        }

        void GiveUp(Exception error)
        {
            var refusal = new StoreUnavailableException(
                $"The store has been away for {_services.Time.GetElapsedTime(since).TotalSeconds:0.0} s ({error.Message}; at first: {cause.Message}). A command that was under way may or may not be committed: repeat it with the same idempotency key.",
                outcomeUnknown: true,
                error);
            _refusal = refusal;
            foreach (var command in refused ? [] : held)
            {
                Finish(command, c => c.Fail(refusal));
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
            await _store.DisposeAsync().ConfigureAwait(false);
            _store = null;
        }

        _store = await _services.Store.OpenLaneAsync(Assignment, cancellationToken).ConfigureAwait(false);
        var snapshot = await _store.LoadAsync(cancellationToken).ConfigureAwait(false);
        await EnsureDefinitionsAsync(snapshot.Instances, snapshot.Messages, cancellationToken).ConfigureAwait(false);
        var state = LaneLoader.Load(snapshot, _services.DefinitionOf, _services.Receivers.ContainsKey);
        _lastBatch = snapshot.LastBatch;
        _executor.Reset(state);
        ReadGauges();
        Log.LaneLoaded(_logger, Assignment.Index, state.Instances.Count, state.StoredSignals.Count, snapshot.Messages.Count);
        foreach (var orphan in state.Orphans)
        {
            Log.OrphanFound(_logger, orphan.Id, orphan.Definition.Name, orphan.ParentId!.Value);
        }

        Inbox.Restart(Assignment.Node is null ? [] : snapshot.Messages.Select(m => m.Id));
        Relaunch(state);
        foreach (var message in snapshot.Messages.Where(m => !IsPutAside(DeadLetterKind.Message, m.Id)))
        {
            PostInternal(new MessageLaneCommand(message, fromSnapshot: true, _services.DefinitionOf));
        }

        _armed = null;
        _signal.Set();
        return snapshot.PublishedSequence;
    }

    /// <summary>Calls again what was under way when memory was lost; what still runs goes on.</summary>
    private void Relaunch(LaneState state)
    {
        foreach (var instance in state.Instances.Values)
        {
            foreach (var wait in instance.Waits.Where(w => w.IsActivityUnderWay && !IsPutAside(DeadLetterKind.Activity, w.Id)))
            {
                if (_services.Activities.GetValueOrDefault(wait.Name!) is { } activity)
                {
                    Work.LaunchActivity(instance.Id, wait.Id, activity, wait.Input);
                }
                else
                {
                    PostInternal(new ActivityLaneCommand(instance.Id, wait.Id, default, new("it is not registered with this engine", IsFinal: true)));
                }
            }
        }

        foreach (var signal in state.Receiving.Where(s => !IsPutAside(DeadLetterKind.Signal, s.Id)))
        {
            Work.LaunchReceiver(signal.Id, _services.Receivers[signal.Name], signal.CorrelationKey!, SignalPayload.Of(signal));
        }
    }

    private void Refuse(List<LaneCommand> commands, WorkflowException refusal)
    {
        _refusal = refusal;
        commands.ForEach(c => Finish(c, x => x.Fail(refusal)));
        FailEverything(refusal);
    }

    private void FailEverything(Exception error)
    {
        _successors.ForEach(s => Finish(s, c => c.Fail(error)));
        _successors.Clear();
        while (_repeats.TryDequeue(out var command))
        {
            Finish(command, c => c.Fail(error));
        }

        EmptyMailbox(error);
    }

    private void Abandon(Exception error)
    {
        _refusal = error as WorkflowException ?? new EngineStoppedException($"the command (the lane broke: {error.Message})");
        foreach (var command in (_flying?.Commands ?? []).Concat(_executor.TakeBatch().Commands))
        {
            Finish(command, c => c.Fail(_refusal));
        }

        FailEverything(_refusal);
    }
}
