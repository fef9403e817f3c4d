using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <summary>What a lane does after a step.</summary>
internal enum LaneNext
{
    /// <summary>The next step, at once.</summary>
    Step,

    /// <summary>The next step, once the lane is woken or its next timer is due.</summary>
    Sleep,

    /// <summary>Reads keys and instances from the store; <see cref="LaneCore.LookedUp"/> follows.</summary>
    LookUp,

    /// <summary>Reads its memory from the store; <see cref="LaneCore.Reloaded"/> follows.</summary>
    Reload,

    /// <summary>Nothing more: the lane has stopped, and all that it had is done.</summary>
    End,
}

/// <summary>
/// A lane without its threads and its store: one step is synchronous, and depends on nothing but the mailbox, the end of the flush, the
/// clock and new ids. Its order is fixed: complete a flush that is over; apply repeats and the mailbox; offer a flush; sleep.
/// </summary>
internal sealed class LaneCore
{
    /// <summary>How long commands are applied before the lane looks at its flush.</summary>
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(5);

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
    private CommandBatch? _broken;
    private (LaneCommand Command, Exception Error)? _brokenOff;
    private DateTimeOffset _dueAt;

    public LaneCore(LaneAssignment assignment, LaneServices services, LaneIntake intake, LaneFlusher flusher, LaneRelease release)
    {
        _assignment = assignment;
        _services = services;
        _intake = intake;
        _flusher = flusher;
        _release = release;
        _repeats = new(assignment, services, intake);
        _nextDue = NextDue;
        Held = () => [.. _flusher.Commands(), .. _broken?.Commands ?? [], .. _taken, .. _repeats.Commands, .. Reload?.Held ?? []];
    }

    public LaneGauges Gauges { get; } = new();

    /// <summary>What it has taken and not finished. For the loop alone.</summary>
    public Func<IEnumerable<LaneCommand>> Held { get; }

    public long FailedFlushes => _failedFlushes.Value;
    public long Reloads => _reloads.Value;

    /// <summary>When the lane has to be woken for a timer; null while it is woken by other things.</summary>
    public DateTimeOffset? NextDueUtc =>
        // One that stops leaves its timers to the next owner: one that is due would wake it again and again.
        Executor.Batch.Commands.Count == 0 && _broken is null && !_intake.IsStopping && !_intake.IsOver
            ? Executor.Timers.Queue.NextDueUtc
            : null;

    /// <summary>Keys of the commands taken that memory does not know.</summary>
    public IReadOnlyList<string> KeysToFind => [.. _taken.Where(IsKeyUnknown).Select(c => c.Key!).Distinct(StringComparer.Ordinal)];

    /// <summary>Keys that were found are known from now on.</summary>
    public void Remember(IEnumerable<IdempotencyRow> found)
    {
        foreach (var row in found)
        {
            Executor.Keys.Remember(row);
        }
    }

    /// <summary>Retries among the commands taken, which need the rows of their instances.</summary>
    public IReadOnlyList<RetryLaneCommand> Retries =>
        [.. _taken.Select(c => RetryOf(c) ?? (c as PeerLaneCommand)?.Retry).OfType<RetryLaneCommand>()];

    /// <summary>Why memory is to be loaded, and what is to be done again then.</summary>
    public LaneReload? Reload { get; private set; }

    private LaneExecutor Executor => _flusher.Executor;

    private bool IsDone => _intake.IsStopping && !_flusher.IsOffered && _intake.Mailbox.IsEmpty
        && _repeats.Count + _taken.Count + Executor.Batch.Commands.Count == 0;

    public LaneNext Step()
    {
        if (_flusher.HasEnded)
        {
            return CompleteFlush();
        }

        _intake.LookAfterCallers(_flusher.IsOffered, Held);
        if (_broken is not null)
        {
            // What became of the batch in flight comes first.
            return LaneNext.Sleep;
        }

        if (IsDone)
        {
            return LaneNext.End;
        }

        if (_intake.IsOver)
        {
            FailAll(_flusher.TakeOpen().Commands, _intake.Refusal!);
            return _intake.IsStopping && !_flusher.IsOffered ? LaneNext.Step : LaneNext.Sleep;
        }

        if (_taken.Count == 0)
        {
            Take();
            if (NeedLookUp())
            {
                return LaneNext.LookUp;
            }
        }

        return ApplyTaken();
    }

    /// <summary>Keys are remembered and rows are set; or the store was not to be reached.</summary>
    public LaneNext LookedUp(FlushException? failure) => failure is null ? ApplyTaken() : Recover(failure);

    /// <summary>Memory is what is committed; its activities and receivers are launched again.</summary>
    public void Load(LaneExecutor loaded, IEnumerable<Message> messages, long lastBatch, ILaneStore store, LaneHost host)
    {
        loaded.Succeed(Executor);
        _flusher.Begin(loaded, store, lastBatch);
        Gauges.Read(loaded);
        host.Relaunch(loaded, IsDeadLettered);
        foreach (var former in _intake.Mailbox.TakeLoaded())
        {
            _intake.Resolve(former, _ => { });
        }

        foreach (var message in messages.Where(m => !IsDeadLettered(DeadLetterKind.Message, m.Id)))
        {
            // Before what the mailbox holds, which may have been sent after it.
            _intake.AddLoaded(new MessageLaneCommand(message, _intake.Inbox.Loads, fromSnapshot: true, _services));
        }
    }

    /// <summary>Repeats what is not committed.</summary>
    /// <param name="isHeld">False where every caller was refused meanwhile.</param>
    public LaneNext Reloaded(bool isHeld)
    {
        var (_, inFlight, pending) = Reload!;
        Reload = null;
        if (!isHeld)
        {
            // If the batch was committed all the same, its events and messages still leave.
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

        _repeats.AfterReload(uncommitted.Concat(pending), Executor);
        return LaneNext.Step;
    }

    /// <summary>The lane ends by an error: every caller is refused.</summary>
    public void Abandon(Exception error)
    {
        var refusal = error as WorkflowException ?? new EngineStoppedException($"the command (the lane broke: {error.Message})");
        _intake.Refusal = refusal;
        FailAll([.. _flusher.Close()?.Commands ?? [], .. _broken?.Commands ?? [], .. _flusher.TakeOpen().Commands,
            .. _brokenOff is var (command, _) ? [command] : (LaneCommand[])[]], refusal);
        (_broken, _brokenOff) = (null, null);
    }

    /// <summary>Fails commands, and all that wait in the lane.</summary>
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
        _intake.Empty(error);
    }

    private void Take()
    {
        var limit = Math.Min(_services.Options.MaxBatchCommands, _repeats.Limit);
        var room = limit - Executor.Batch.Commands.Count;
        _repeats.Take(_taken, room);
        if (_repeats.Count == 0)
        {
            _dueAt = _services.Time.GetUtcNow();
            _intake.Mailbox.Take(_taken, room, limit, _nextDue);
        }
    }

    private TimerLaneCommand? NextDue() =>
        // A lane that stops leaves what is due to the next owner: timers that begin timers would keep it for ever.
        !_intake.IsStopping && Executor.Timers.Queue.TryTakeDue(_dueAt, out var due)
            ? _intake.Begin(new TimerLaneCommand(due), due.DueUtc)
            : null;

    private bool NeedLookUp()
    {
        foreach (var command in _taken)
        {
            if (IsKeyUnknown(command) || RetryOf(command) is not null)
            {
                return true;
            }
        }

        return false;
    }

    private bool IsKeyUnknown(LaneCommand command) => command.Key is { } key && Executor.Keys.Find(key) is null && !command.IsKeyNew;

    private static RetryLaneCommand? RetryOf(LaneCommand command) => command as RetryLaneCommand ?? (command as MessageLaneCommand)?.Retry;

    /// <summary>Applies what was taken, as far as the time slice lasts, and offers a flush.</summary>
    private LaneNext ApplyTaken()
    {
        Executor.Timers.Compact();
        var since = _services.Time.GetTimestamp();
        while (!Executor.Batch.IsFull && _taken.TryDequeue(out var command))
        {
            if (IsDropped(command))
            {
                _intake.Resolve(command, _ => { });
            }
            else if (_flusher.Apply(command) is { } error)
            {
                _brokenOff = (command, error);
                return Recover(cause: null);
            }

            if (_services.Time.GetElapsedTime(since) >= Slice)
            {
                // What is applied is committed, and what is committed acknowledged, before the others' turn.
                break;
            }
        }

        Gauges.Read(Executor);
        if (!_flusher.IsOffered && Executor.Batch.Commands.Count > 0)
        {
            BeginFlush();
            return LaneNext.Step;
        }

        // What was taken may all have been dropped: then no batch ends that would wake the lane for the rest, or for its end.
        var isRestLeft = Executor.Batch.Commands.Count == 0 && (_repeats.Count > 0 || !_intake.Mailbox.IsEmpty);
        return (_taken.Count > 0 && !Executor.Batch.IsFull) || isRestLeft || IsDone ? LaneNext.Step : LaneNext.Sleep;
    }

    /// <summary>
    /// Whether it is a dead letter by now, or would be one if the store had not refused it; or a message from before the last load, which
    /// has its own copy.
    /// </summary>
    private bool IsDropped(LaneCommand command) => command switch
    {
        MessageLaneCommand message => message.Load < _intake.Inbox.Loads || IsDeadLettered(DeadLetterKind.Message, message.SubjectId),
        TimerLaneCommand timer => Executor.DeadLetters.Contains(DeadLetterKind.Timer, timer.Entry.WaitId, timer.Entry.DueUtc)
            || _repeats.IsQuarantined(timer.Subject),
        _ => false,
    };

    private bool IsDeadLettered(DeadLetterKind kind, Guid subject) =>
        Executor.DeadLetters.Contains(kind, subject) || _repeats.IsQuarantined((subject, default));

    private void BeginFlush()
    {
        if (!Executor.Batch.HasRows && _services.IsLeaseFresh(_assignment.Index))
        {
            // Nothing to write, and nothing in flight that it could depend on: release at once. After the lease only the store knows
            // whether this node is still the owner: an empty batch asks it.
            _release.Release(_flusher.TakeOpen(), committed: false);
            return;
        }

        _flusher.Offer();
    }

    private LaneNext CompleteFlush()
    {
        if (_broken is not null || _flusher.Outcome is not null)
        {
            return Recover(cause: null);
        }

        var committed = _flusher.Close()!;
        CountCommit();
        if (Executor.Batch.HasRows)
        {
            // The store works on the next one while this one's callers are answered.
            BeginFlush();
        }

        _release.Release(committed, committed: true);
        return LaneNext.Step;
    }

    private void CountCommit()
    {
        _flusher.Committed();
        _repeats.Widen();
        _intake.Readmit();
    }

    /// <summary>
    /// Goes back to what is committed, and repeats every command that is not: within memory where nothing of the flush can have been
    /// committed, else by a reload. Where a batch is in flight it goes on once that has ended.
    /// </summary>
    /// <param name="cause">Of a look-up that failed while nothing is in flight; null when a command broke off or a flush has ended.</param>
    private LaneNext Recover(FlushException? cause)
    {
        _broken ??= _flusher.TakeOpen();
        if (_flusher.IsOffered && !_flusher.HasEnded)
        {
            return LaneNext.Sleep;
        }

        var outcome = _flusher.HasEnded ? _flusher.Outcome : cause;
        var (open, inFlight) = (_broken, _flusher.Close());
        _broken = null;
        if (inFlight is not null && outcome is null)
        {
            CountCommit();
            _release.Release(inFlight, committed: true);
            inFlight = null;
        }

        LaneCommand[] pending = [.. open.Commands, .. TakeBrokenOff(open, isCommitted: outcome is null), .. _taken];
        _taken.Clear();
        if (outcome is not null)
        {
            _services.Telemetry.FailedFlushes.Add(1);
            _failedFlushes.Add(1);
            Log.FlushFailed(_services.Logger, outcome, _assignment.Index, inFlight?.Commands.Count ?? 0, outcome.Failure.ToString());
        }

        if (outcome is not (null or { Failure: FlushFailure.Rejected or FlushFailure.Conflict }))
        {
            return BeginReload(new(outcome, inFlight, pending));
        }

        _intake.Readmit();
        Executor.RollBack(open);
        if (inFlight is not null)
        {
            Executor.RollBack(inFlight);
        }

        // Before callers hear that they are refused.
        Gauges.Read(Executor);
        _repeats.Repeat([.. inFlight is null ? [] : _repeats.Isolate(inFlight, outcome!), .. pending]);
        return LaneNext.Step;
    }

    /// <summary>
    /// What broke off on what is committed is to blame itself, and is rejected. Else what it came after, and the store may yet refuse, may
    /// be to blame: it is repeated behind that, in a batch of its own.
    /// </summary>
    private IEnumerable<LaneCommand> TakeBrokenOff(CommandBatch open, bool isCommitted)
    {
        if (_brokenOff is not var (command, error))
        {
            return [];
        }

        _brokenOff = null;
        if (isCommitted && open.Commands.Count == 0)
        {
            _repeats.Reject(command, error, $"The {command.Description} broke off: {error.Message}");
            return [];
        }

        _repeats.CutAfter(open.Commands.Count);
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
        FailAll(reload.Held, refusal);
        return LaneNext.Step;
    }
}

/// <summary>Memory has to be loaded again.</summary>
/// <param name="InFlight">The batch whose flush has failed; null when a look-up did. Whether it is committed is not known.</param>
/// <param name="Pending">Commands that are certainly not committed.</param>
internal sealed record LaneReload(FlushException Cause, CommandBatch? InFlight, LaneCommand[] Pending)
{
    /// <summary>All commands whose callers wait for the load.</summary>
    public IReadOnlyList<LaneCommand> Held => [.. InFlight?.Commands ?? [], .. Pending];
}

/// <summary>Counts of a lane's memory. The lane sets them, anybody reads them.</summary>
internal sealed class LaneGauges
{
    public int LiveInstances { get; private set; }
    public int OpenTasks { get; private set; }
    public int BufferedSignals { get; private set; }
    public int DeadLetters { get; private set; }
    public int DeadSignals { get; private set; }

    public void Read(LaneExecutor executor)
    {
        LiveInstances = executor.Instances.Live.Count;
        OpenTasks = executor.OpenTasks;
        BufferedSignals = executor.StoredSignals;
        DeadLetters = executor.DeadLetters.Count;
        DeadSignals = executor.DeadLetters.Signals;
    }
}
