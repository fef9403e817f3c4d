namespace Workflow.Engine.Flush;

/// <summary>
/// The changes of the commands since the last flush, and the effects that leave the lane after their commit.
/// </summary>
internal sealed class LaneBatch
{
    /// <summary>
    /// Characters after which a batch takes no more commands: a server accepts 1 GiB in one message, and a character
    /// may need six bytes there.
    /// </summary>
    public const long FullSize = 8 * 1_048_576;

    private readonly List<LiveInstance> _dirty = [];
    private readonly Dictionary<Guid, IPending> _pending = [];
    private readonly FlushBatch _rows = new();
    private Dictionary<Guid, ITaskWrite>? _tasks;
    private Dictionary<Guid, IDeadLetterWrite>? _deadLetters;
    private List<Action>? _undo;
    private List<Eviction>? _evictions;
    private List<(LiveInstance, DormantRecord)>? _woken;

    /// <summary>The commands whose changes the batch holds.</summary>
    public List<LaneCommand> Commands { get; } = [];

    /// <summary>
    /// An upper estimate of the characters of its rows without escapes: instances, command payloads, and the work of
    /// the commands.
    /// </summary>
    public long Size { get; set; }

    public bool IsFull => Size >= FullSize;
    public BatchTally Tally { get; } = new();

    public List<IntegrationEvent> Events { get; } = [];

    public List<Message> Outgoing { get; } = [];

    /// <summary>The ids of the messages that the batch has handled.</summary>
    public List<Guid> Handled { get; } = [];

    /// <summary>Work to launch after the commit: activities and receivers.</summary>
    public List<Action> Launches { get; } = [];

    public FlushBatch Rows => _rows;

    /// <summary>Whether the batch changes durable data.</summary>
    public bool HasRows => _dirty.Count + _pending.Count > 0 || _deadLetters is not null
        || _evictions is not null || !_rows.IsEmpty;

    /// <summary>The instances that changed, including new and finished ones.</summary>
    public IReadOnlyList<LiveInstance> Touched => _dirty;

    /// <summary>The instances that become dormant with this batch.</summary>
    public IReadOnlyList<Eviction> Evictions => _evictions ?? [];

    /// <summary>
    /// The changed instances that the store had as dormant before this batch, once it is sealed.
    /// </summary>
    public IReadOnlyList<(LiveInstance Instance, DormantRecord Record)> Woken => _woken ?? [];

    /// <summary>Adds an action that restores memory outside the instances. The last action added runs first.</summary>
    public void OnRollBack(Action undo) => (_undo ??= []).Add(undo);

    public void Undo()
    {
        for (var i = (_undo?.Count ?? 0) - 1; i >= 0; i--)
        {
            _undo![i]();
        }
    }

    /// <summary>The batch is committed: from now on a roll-back returns its instances to these rows.</summary>
    public void MarkCommitted()
    {
        _undo = null;
        for (var i = 0; i < _rows.Instances.Count; i++)
        {
            var row = _rows.Instances[i].Row;
            _dirty[i].Committed = new(row.Body, row.State, row.Revision, row.UpdatedUtc);
        }
    }

    public void Touch(LiveInstance instance)
    {
        if (!instance.IsDirty)
        {
            instance.IsDirty = true;
            _dirty.Add(instance);
        }
    }

    /// <summary>The instance becomes dormant, unless the batch changes it too.</summary>
    public void Evict(LiveInstance instance, DormantRecord record) => (_evictions ??= []).Add(new(instance, record));

    public void AddPending(IPending pending) => _pending.Add(pending.Id, pending);

    /// <summary>Removes a pending row. A row that was added in the same batch is not written at all.</summary>
    public void RemovePending(Guid id)
    {
        if (!_pending.Remove(id))
        {
            _rows.PendingRemoved.Add(id);
        }
    }

    public void AddTask(TaskRow task) => (_tasks ??= []).Add(task.Id, task);

    /// <summary>
    /// Changes a task. A change of a task added in the same batch is merged into its row; of several changes the last
    /// one counts.
    /// </summary>
    public void ChangeTask(TaskChange change)
    {
        _tasks ??= [];
        _tasks[change.Id] = _tasks.GetValueOrDefault(change.Id) is TaskRow added ? added.With(change) : change;
    }

    public void AddChild(ChildRow child) => _rows.Children.Add(child);

    public void AddMessage(Message message)
    {
        _rows.Pending.Add(message.ToRow());
        Outgoing.Add(message);
    }

    /// <summary>
    /// Removes a handled message. Its row exists in the store: a signal with the same id may be added in the same
    /// batch.
    /// </summary>
    public void RemoveMessage(Guid id)
    {
        _rows.PendingRemoved.Add(id);
        Handled.Add(id);
    }

    public void AddReply(ReplyRow reply) => _rows.Replies.Add(reply);
    public void AddDeadLetter(DeadLetterRow deadLetter) => (_deadLetters ??= []).Add(deadLetter.Id, deadLetter);

    /// <summary>Changes a dead letter in the same way as <see cref="ChangeTask"/>.</summary>
    public void ChangeDeadLetter(DeadLetterChange change)
    {
        _deadLetters ??= [];
        _deadLetters[change.Id] = _deadLetters.GetValueOrDefault(change.Id) is DeadLetterRow added
            ? added.With(change)
            : change;
    }

    public void AddKey(IdempotencyRow key) => _rows.Keys.Add(key);

    public void AddEvent(IntegrationEvent integrationEvent, EventRow row)
    {
        Events.Add(integrationEvent);
        _rows.Events.Add(row);
    }

    /// <summary>Converts all changes into rows. Afterwards the instances may change again for the next batch.</summary>
    public FlushBatch Seal(JsonBuffer json, long lastSequence)
    {
        SealEvictions();
        _rows.Instances.EnsureCapacity(_dirty.Count);
        foreach (var instance in _dirty)
        {
            // From here on, a change belongs to the next batch.
            instance.IsDirty = false;
            var origin = instance.Dormant is not null ? InstanceOrigin.Dormant
                : instance.IsRetried ? InstanceOrigin.Failed
                : instance.Revision == 0 ? InstanceOrigin.New
                : InstanceOrigin.Live;
            instance.IsRetried = false;
            instance.Revision++;
            _rows.Instances.Add(new(origin, instance.ToRow(json)));
            if (instance.Dormant is { } stored)
            {
                (_woken ??= []).Add((instance, stored));
                _rows.DormantWaitsRemoved.AddRange(stored.Waits);
            }
        }

        foreach (var pending in _pending.Values)
        {
            _rows.Pending.Add(pending.ToRow(json));
        }

        _rows.Tasks.AddRange(_tasks?.Values ?? Enumerable.Empty<ITaskWrite>());
        _rows.DeadLetters.AddRange(_deadLetters?.Values ?? Enumerable.Empty<IDeadLetterWrite>());
        _rows.LastSequence = lastSequence;
        return _rows;
    }

    private void SealEvictions()
    {
        foreach (var eviction in Evictions)
        {
            var instance = eviction.Instance;
            if (!instance.IsDirty)
            {
                eviction.IsWritten = true;
                _rows.Dormant.Add(new(
                    instance.Id, instance.Revision, instance.NextDueUtc, eviction.Record.Waits));
            }
        }
    }
}
