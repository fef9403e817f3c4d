using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <summary>
/// A lane without its threads and its store. A step is synchronous and depends only on the mailbox, the end of the
/// flush, the clock and new ids. Its order is fixed: complete a finished flush; apply repeats and the mailbox; offer a
/// flush; sleep.
/// </summary>
internal sealed class LaneCore
{
    /// <summary>How long the lane applies commands before it checks its flush again.</summary>
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// How often a command may need a dormant instance that it has not needed before: each read brings all children of
    /// an instance, so a command needs about one read for each level of calls.
    /// </summary>
    private const int MaxStoreReads = 100;

    private readonly LaneAssignment _assignment;
    private readonly LaneServices _services;
    private readonly LaneIntake _intake;
    private readonly LaneFlusher _flusher;
    private readonly LaneRelease _release;
    private readonly LaneRepeats _repeats;
    private readonly Queue<LaneCommand> _taken = new();
    private readonly Func<LaneCommand?> _nextDue;
    private readonly Count _failedFlushes = new();
    private readonly Count _reloads = new();
    private LaneBatch? _toRollBack;
    private (LaneCommand Command, Exception Error)? _thrown;
    private LaneDueReader? _dueReader;
    private DateTimeOffset _dueAt;

    public LaneCore(
        LaneAssignment assignment, LaneServices services, LaneIntake intake, LaneFlusher flusher, LaneRelease release)
    {
        _assignment = assignment;
        _services = services;
        _intake = intake;
        _flusher = flusher;
        _release = release;
        _repeats = new(assignment, services, intake);
        _nextDue = NextDue;
        HeldCommands = () =>
        [
            .. _flusher.Commands(),
            .. _toRollBack?.Commands ?? [],
            .. _taken,
            .. _repeats.Commands,
            .. Reload?.Commands ?? [],
        ];
    }

    public LaneGauges Gauges { get; } = new();

    /// <summary>Returns the commands that were taken and are not finished. For the loop only.</summary>
    public Func<IEnumerable<LaneCommand>> HeldCommands { get; }

    public long FailedFlushes => _failedFlushes.Value;
    public long Reloads => _reloads.Value;

    /// <summary>When a timer must wake the lane; null while other events wake it.</summary>
    public DateTimeOffset? NextDueUtc =>
        // A stopping lane leaves its timers to the next owner. A due timer would wake it again and again.
        State.Batch.Commands.Count == 0 && _toRollBack is null && !_intake.IsStopping && !_intake.IsRefusalFinal
        && State.Dormancy.IsRecovered
            ? DueTimes.Earlier(State.Dormancy.NextTimerUtc, State.Dormancy.NextDueUtc)
            : null;

    /// <summary>The keys of the taken commands that memory does not contain.</summary>
    public IReadOnlyList<string> UnknownKeys =>
        [.. _taken.Where(IsKeyUnknown).Select(c => c.Key!).Distinct(StringComparer.Ordinal)];

    /// <summary>Adds the keys that a look-up found to memory.</summary>
    public void Remember(IEnumerable<IdempotencyRow> found)
    {
        foreach (var row in found)
        {
            State.Keys.Remember(row);
        }
    }

    /// <summary>The retries among the taken commands, which need the rows of their instances.</summary>
    public IReadOnlyList<RetryLaneCommand> Retries =>
        [.. _taken.Select(c => RetryOf(c) ?? (c as PeerLaneCommand)?.Retry).OfType<RetryLaneCommand>()];

    /// <summary>The number of dormant rows of the lane after the last commit.</summary>
    public long DormantRows => State.Dormancy.Stored;

    /// <summary>What the taken commands need of the dormant instances; null if they need nothing.</summary>
    public DormantLookup? Needs => State.Dormancy.Needs;

    /// <summary>Reads the instances that were in memory before the load; null if none are missing.</summary>
    public LaneRecovery? Recovery { get; private set; }

    /// <summary>
    /// The partitions that the next look-up recovers: those that commands need, or else a page if no command waits.
    /// </summary>
    public IReadOnlyCollection<short> Recoverable => State.Dormancy.NeededPartitions is { Count: > 0 } needed
        ? [.. needed]
        : IsPageDue ? Recovery!.Page : [];

    /// <summary>Takes over the instances of partitions that were in memory before the load.</summary>
    public void AdmitRecovered(IReadOnlyCollection<short> partitions, IReadOnlyList<InstanceRow> rows, LaneWork work)
    {
        work.RelaunchActivities(State.Dormancy.Recover(partitions, rows), IsDeadLettered);
        if (!State.Dormancy.IsRecovered)
        {
            Gauges.Read(State);
            if (partitions == Recovery!.Page)
            {
                Recovery.BeginPage(State.Dormancy.UnreadPartitions);
            }
        }
        else
        {
            var recovery = Recovery!;
            Recovery = null;
            recovery.End();
            State.LogOrphans(_services.Logger);

            // Timers have waited for this. Those that are due are taken before the lane may count as idle.
            Take();
            Gauges.Read(State);
            Log.LaneRecovered(
                _services.Logger, _assignment.Index, Gauges.ResidentInstances, recovery.Elapsed.TotalSeconds);
            _services.Progressed();
        }
    }

    /// <summary>Takes over what a look-up has read of the dormant instances.</summary>
    public void Admit(DormantLookup asked, IReadOnlyList<InstanceRow> found) =>
        _services.Telemetry.Wakeups.Add(State.Dormancy.Admit(asked, found));

    /// <summary>
    /// Why memory must be loaded again, and which commands are repeated afterwards; null while no reload is due.
    /// </summary>
    public LaneReload? Reload { get; private set; }

    private LaneState State => _flusher.State;

    /// <summary>Whether a page of what is missing is read, so that it can be taken over.</summary>
    private bool HasPage => Recovery is { HasPage: true } && !_intake.IsStopping;

    private bool IsPageDue => HasPage && (_taken.Count == 0 || Recovery!.IsLate);

    private bool IsDone => _intake.IsStopping && !_flusher.IsOffered && _intake.Mailbox.IsEmpty
        && _repeats.Count + _taken.Count + State.Batch.Commands.Count == 0;

    public LaneNext Step()
    {
        if (_flusher.HasEnded)
        {
            return CompleteFlush();
        }

        _intake.FailTimedOutCallers(_flusher.IsOffered, HeldCommands);
        if (_toRollBack is not null)
        {
            // The outcome of the batch in flight comes first.
            return LaneNext.Sleep;
        }

        if (IsDone)
        {
            return LaneNext.End;
        }

        if (_intake.IsRefusalFinal)
        {
            FailAll(_flusher.TakeOpenBatch().Commands, _intake.Refusal!);
            return _intake.IsStopping && !_flusher.IsOffered ? LaneNext.Step : LaneNext.Sleep;
        }

        if (_taken.Count == 0)
        {
            AdmitDue();
            Take();
            BeginDuePage();
            GaugeDuePage();
            if (NeedsLookUp())
            {
                return LaneNext.LookUp;
            }
        }

        return ApplyTaken();
    }

    /// <summary>The look-up has ended: keys and rows are in memory, or the store was unavailable.</summary>
    public LaneNext ContinueAfterLookUp(FlushException? failure) => failure is null ? ApplyTaken() : Recover(failure);

    /// <summary>Takes over the loaded state and launches its receivers again.</summary>
    /// <param name="recovery">Reads the instances; null if none was in memory.</param>
    /// <param name="dueReader">Reads timers of dormant instances.</param>
    public void Load(
        LaneState loaded, IEnumerable<Message> messages, long lastBatch, ILaneStore store, LaneWork work,
        LaneRecovery? recovery, LaneDueReader dueReader)
    {
        Recovery?.End();
        Recovery = recovery;
        _dueReader?.End();
        _dueReader = dueReader;
        loaded.ContinuePositionsFrom(State);
        recovery?.BeginPage(loaded.Dormancy.UnreadPartitions);
        _flusher.Begin(loaded, store, lastBatch);
        Gauges.Read(loaded);
        GaugeDuePage();
        work.RelaunchReceivers(loaded, IsDeadLettered);
        foreach (var former in _intake.Mailbox.TakeLoaded())
        {
            _intake.Resolve(former, _ => { });
        }

        foreach (var message in messages.Where(m => !IsDeadLettered(DeadLetterKind.Message, m.Id)))
        {
            // Loaded messages go before those in the mailbox, which may have been sent later.
            _intake.AddLoaded(new MessageLaneCommand(message, _intake.Inbox.Loads, fromSnapshot: true, _services));
        }
    }

    /// <param name="isHeld">False if all callers were refused during the reload.</param>
    public LaneNext ContinueAfterReload(bool isHeld)
    {
        var (_, inFlight, pending) = Reload!;
        Reload = null;
        if (!isHeld)
        {
            // If the batch was committed nevertheless, its events and messages still leave.
            pending = [];
            inFlight?.Commands.Clear();
        }

        IEnumerable<LaneCommand> uncommitted = [];
        if (inFlight is not null && inFlight.Rows.Number > 0 && _flusher.LastBatch == inFlight.Rows.Number)
        {
            _release.Release(inFlight, committed: true);
        }
        else if (inFlight is not null)
        {
            uncommitted = inFlight.Commands;
        }

        _repeats.RepeatAfterReload(uncommitted.Concat(pending), State);
        return LaneNext.Step;
    }

    /// <summary>The lane ends with an error: refuses every caller.</summary>
    public void Abandon(Exception error)
    {
        var refusal = error as WorkflowException
            ?? new EngineStoppedException($"the command (the lane broke: {error.Message})");
        _intake.Refusal = refusal;
        LaneCommand[] commands =
        [
            .. _flusher.TakeInFlight()?.Commands ?? [],
            .. _toRollBack?.Commands ?? [],
            .. _flusher.TakeOpenBatch().Commands,
            .. _thrown is var (command, _) ? [command] : (LaneCommand[])[],
        ];
        FailAll(commands, refusal);
        (_toRollBack, _thrown) = (null, null);
    }

    /// <summary>Fails the given commands and all that wait in the lane.</summary>
    public void FailAll(IReadOnlyList<LaneCommand> commands, Exception error)
    {
        foreach (var command in commands)
        {
            _intake.Resolve(command, c => c.Fail(error));
        }

        while (_taken.TryDequeue(out var taken))
        {
            _intake.Resolve(taken, c => c.Fail(error));
        }

        _repeats.FailAll(error);
        _intake.FailQueued(error);
    }

    private void Take()
    {
        var limit = Math.Min(_services.Options.MaxBatchCommands, _repeats.Limit);
        var room = limit - State.Batch.Commands.Count;
        _repeats.Take(_taken, room);
        if (_repeats.Count == 0)
        {
            _dueAt = _services.Time.GetUtcNow();
            _intake.Mailbox.Take(_taken, _dueAt, room, limit, _nextDue);
            if (_taken.Count < room && !_intake.IsStopping && State.Dormancy.IsEvictionDue(_dueAt))
            {
                _taken.Enqueue(_intake.Track(new EvictLaneCommand(), _dueAt));
            }
        }
    }

    /// <summary>Takes over the dormant instances whose timers are due soon.</summary>
    private void AdmitDue()
    {
        if (_dueReader is { Page: { } page } reader && reader.TryTake() is { } read)
        {
            _services.Telemetry.Wakeups.Add(State.Dormancy.AdmitDue(page, read));
        }
    }

    private void BeginDuePage()
    {
        if (!_intake.IsStopping && State.Dormancy.Dormant > 0
            && State.Dormancy.BeginDuePage(_services.Time.GetUtcNow()) is { } page)
        {
            _dueReader!.Begin(page);
        }
    }

    /// <summary>
    /// When a page is taken over, those of its timers that are due are taken with it: the lane may be idle then.
    /// </summary>
    private void GaugeDuePage()
    {
        var was = Gauges.IsReadingTimers;
        Gauges.IsReadingTimers = _dueReader?.Page is not null;
        if (was && !Gauges.IsReadingTimers)
        {
            _services.Progressed();
        }
    }

    private TimerLaneCommand? NextDue() =>
        // A stopping lane leaves due timers to the next owner: timers that create timers would keep it alive forever.
        !_intake.IsStopping && State.Timers.Queue.TryTakeDue(State.Dormancy.DueUntil(_dueAt), out var due)
            ? _intake.Track(new TimerLaneCommand(due), due.DueUtc)
            : null;

    private bool NeedsLookUp()
    {
        var isNeeded = false;
        foreach (var command in _taken)
        {
            isNeeded |= IsKeyUnknown(command) || RetryOf(command) is not null;
            if (State.Dormancy.MayMiss)
            {
                command.NoteNeeds(State);
            }
        }

        return isNeeded || State.Dormancy.HasNeeds || IsPageDue;
    }

    private bool IsKeyUnknown(LaneCommand command) =>
        command.Key is { } key && State.Keys.Find(key) is null && !command.IsKeyNew;

    private static RetryLaneCommand? RetryOf(LaneCommand command) =>
        command as RetryLaneCommand ?? (command as MessageLaneCommand)?.Retry;

    /// <summary>Applies the taken commands until the time slice ends, and offers a flush.</summary>
    private LaneNext ApplyTaken()
    {
        State.Timers.Compact();
        var since = _services.Time.GetTimestamp();
        while (!State.Batch.IsFull && _taken.TryDequeue(out var command))
        {
            if (IsDropped(command))
            {
                _intake.Resolve(command, _ => { });
            }
            else if (_flusher.Apply(command) is { } error)
            {
                _thrown = (command, error);
                return Recover(cause: null);
            }

            if (_services.Time.GetElapsedTime(since) >= Slice)
            {
                // Commit and acknowledge what is applied before the next commands.
                break;
            }
        }

        Gauges.Read(State);
        if (!_flusher.IsOffered && State.Batch.Commands.Count > 0)
        {
            BeginFlush();
            return LaneNext.Step;
        }

        // If all taken commands were dropped, no flush ends that would wake the lane for the rest or for its end.
        var hasMoreWork = HasPage
            || (State.Batch.Commands.Count == 0 && (_repeats.Count > 0 || !_intake.Mailbox.IsEmpty));
        return (_taken.Count > 0 && !State.Batch.IsFull) || hasMoreWork || IsDone ? LaneNext.Step : LaneNext.Sleep;
    }

    /// <summary>
    /// Whether the command became a dead letter in the meantime, or its dead letter was refused by the store, or it is
    /// a message from before the last load, which contains its own copy.
    /// </summary>
    private bool IsDropped(LaneCommand command) => command switch
    {
        MessageLaneCommand message => message.Load < _intake.Inbox.Loads
            || IsDeadLettered(DeadLetterKind.Message, message.SubjectId),
        TimerLaneCommand timer => State.DeadLetters.Index.Contains(
            DeadLetterKind.Timer, timer.Entry.WaitId, timer.Entry.DueUtc)
            || _repeats.IsQuarantined(timer.Subject),
        _ => false,
    };

    private bool IsDeadLettered(DeadLetterKind kind, Guid subject) =>
        State.DeadLetters.Index.Contains(kind, subject) || _repeats.IsQuarantined((subject, default));

    private void BeginFlush()
    {
        if (!State.Batch.HasRows && _services.IsLeaseFresh(_assignment.Index))
        {
            // There is nothing to write and nothing in flight that the batch could depend on: release it at once. After
            // the lease has ended, only the store knows whether this node is still the owner, so an empty batch asks
            // the store.
            _release.Release(_flusher.TakeOpenBatch(), committed: false);
            return;
        }

        _flusher.Offer();
    }

    private LaneNext CompleteFlush()
    {
        if (_toRollBack is not null || _flusher.Outcome is not null)
        {
            return Recover(cause: null);
        }

        var committed = _flusher.TakeInFlight()!;
        EndCommittedFlush(committed);
        if (State.Batch.HasRows)
        {
            // The store works on the next batch while the callers of this one are answered.
            BeginFlush();
        }

        _release.Release(committed, committed: true);
        return LaneNext.Step;
    }

    private void EndCommittedFlush(LaneBatch committed)
    {
        _flusher.CountCommitted();
        State.Dormancy.Complete(committed);
        _repeats.RaiseLimit();
        _intake.EndOutage();
    }

    /// <summary>
    /// Returns to the committed state and repeats every command that is not committed: within memory if nothing of the
    /// flush can be committed, otherwise by a reload. If a batch is in flight, the recovery continues when that flush
    /// has ended.
    /// </summary>
    /// <param name="cause">The failure of a look-up while nothing is in flight; null when a command threw or a flush
    /// has ended.</param>
    private LaneNext Recover(FlushException? cause)
    {
        _toRollBack ??= _flusher.TakeOpenBatch();
        if (_flusher.IsOffered && !_flusher.HasEnded)
        {
            return LaneNext.Sleep;
        }

        var outcome = _flusher.HasEnded ? _flusher.Outcome : cause;
        var (open, inFlight) = (_toRollBack, _flusher.TakeInFlight());
        _toRollBack = null;
        if (inFlight is not null && outcome is null)
        {
            EndCommittedFlush(inFlight);
            _release.Release(inFlight, committed: true);
            inFlight = null;
        }

        var isMiss = _thrown is (_, StoreReadNeededException);
        LaneCommand[] pending = [.. open.Commands, .. TakeThrown(open, isCommitted: outcome is null), .. _taken];
        _taken.Clear();
        if (outcome is not null)
        {
            _services.Telemetry.FailedFlushes.Add(1);
            _failedFlushes.Add(1);
            Log.FlushFailed(
                _services.Logger, outcome, _assignment.Index, inFlight?.Commands.Count ?? 0,
                outcome.Failure.ToString());
        }

        if (outcome is not (null or { Failure: FlushFailure.Rejected or FlushFailure.Conflict }))
        {
            return BeginReload(new(outcome, inFlight, pending));
        }

        _intake.EndOutage();
        State.RollBack(open);
        if (inFlight is not null)
        {
            State.RollBack(inFlight);
        }

        if (isMiss)
        {
            NoteNeeds(pending);
        }

        // Update the gauges before callers see that they are refused.
        Gauges.Read(State);
        _repeats.Repeat([.. inFlight is null ? [] : _repeats.Isolate(inFlight, outcome!), .. pending]);
        return LaneNext.Step;
    }

    /// <summary>
    /// Applies each command alone and undoes it, so that one look-up brings what many of them need, and not one look-up
    /// for each.
    /// </summary>
    private void NoteNeeds(LaneCommand[] commands)
    {
        foreach (var command in commands.Take(_services.Options.MaxBatchCommands))
        {
            if (command is not EvictLaneCommand && !IsDropped(command))
            {
                // What it throws, it throws again when it is repeated.
                _flusher.Apply(command);
                State.RollBack(_flusher.TakeOpenBatch());
            }
        }
    }

    /// <summary>
    /// A command that threw on committed state is rejected. If it ran after uncommitted commands, which the store may
    /// still refuse, it is repeated in a separate batch behind them.
    /// </summary>
    private IEnumerable<LaneCommand> TakeThrown(LaneBatch open, bool isCommitted)
    {
        if (_thrown is not var (command, error))
        {
            return [];
        }

        _thrown = null;
        if (error is StoreReadNeededException && command.StoreReads++ < MaxStoreReads)
        {
            return [command];
        }

        if (isCommitted && open.Commands.Count == 0)
        {
            _repeats.Reject(command, error, $"The {command.Description} broke off: {error.Message}");
            return [];
        }

        _repeats.LowerLimit(open.Commands.Count);
        return [command];
    }

    private LaneNext BeginReload(LaneReload reload)
    {
        if (reload.Cause.Failure != FlushFailure.Fenced)
        {
            _services.Telemetry.LaneReloads.Add(1);
            _reloads.Add(1);
            Reload = reload;
            return LaneNext.Reload;
        }

        Log.LaneFenced(_services.Logger, reload.Cause, _assignment.Index);
        _services.LaneLost(_assignment.Index);
        WorkflowException refusal = _assignment.Node is null
            ? new EngineStoppedException("the command (another engine has taken the store over)")
            : new LaneMovedException(_assignment.Index, reload.Cause);
        _intake.Refusal = refusal;
        FailAll(reload.Commands, refusal);
        return LaneNext.Step;
    }
}
