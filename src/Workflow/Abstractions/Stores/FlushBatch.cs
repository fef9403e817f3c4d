namespace Workflow.Abstractions.Stores;

/// <summary>The rows that one commit writes.</summary>
public sealed class FlushBatch
{
    /// <summary>One more than the lane's last batch.</summary>
    public long Number { get; set; }

    /// <summary>Sequence of the last event once this batch is committed.</summary>
    public long LastSequence { get; set; }

    /// <summary>
    /// The sequence of the last event that every publisher has accepted. Publishing resumes there after a restart.
    /// </summary>
    public long PublishedSequence { get; set; }

    /// <summary>
    /// The highest position that the lane has assigned or observed. Positions continue behind it after a load.
    /// </summary>
    public long LastPosition { get; set; }

    /// <summary>The number of dormant instances of the lane once this batch is committed.</summary>
    public long DormantInstances { get; set; }

    /// <summary>The number of open tasks of these instances.</summary>
    public long DormantTasks { get; set; }

    /// <summary>Instances that become dormant, each once, and none of <see cref="Instances"/>.</summary>
    public List<DormantWrite> Dormant { get; } = [];

    /// <summary>The stored waits of instances with <see cref="InstanceOrigin.Dormant"/>.</summary>
    public List<DormantWait> DormantWaitsRemoved { get; } = [];

    /// <summary>The present state of changed instances, each once.</summary>
    public List<InstanceWrite> Instances { get; } = [];

    public List<PendingRow> Pending { get; } = [];

    /// <summary>The ids of pending rows to remove; each must be stored.</summary>
    public List<Guid> PendingRemoved { get; } = [];

    /// <summary>
    /// New tasks (<see cref="TaskRow"/>) and changes of open tasks (<see cref="TaskChange"/>), one for each task.
    /// </summary>
    public List<ITaskWrite> Tasks { get; } = [];

    public List<ChildRow> Children { get; } = [];

    /// <summary>
    /// New dead letters (<see cref="DeadLetterRow"/>), and changes of dead letters that are stored and open
    /// (<see cref="DeadLetterChange"/>), one for each dead letter.
    /// </summary>
    public List<IDeadLetterWrite> DeadLetters { get; } = [];

    /// <summary>
    /// Replies to messages of nodes that wait for them; empty without an <see cref="IWorkflowStore.Cluster"/>.
    /// </summary>
    public List<ReplyRow> Replies { get; } = [];

    /// <summary>New idempotency keys. A key that is already stored is a conflict.</summary>
    public List<IdempotencyRow> Keys { get; } = [];

    /// <summary>Events, in order of sequence.</summary>
    public List<EventRow> Events { get; } = [];

    /// <summary>
    /// Whether there is nothing to write. A batch with replies also removes messages, and one with tasks has instances.
    /// </summary>
    public bool IsEmpty =>
        Instances.Count + Dormant.Count + Pending.Count + PendingRemoved.Count + Keys.Count + Events.Count
            + DeadLetters.Count == 0;

    /// <summary>The rows of instances that replace one thing, and from now on are over or live on.</summary>
    public IEnumerable<InstanceRow> InstancesOf(InstanceOrigin origin, bool isOver) =>
        Instances.Where(write => write.Origin == origin && write.Row.IsOver == isOver).Select(write => write.Row);

    /// <summary>All instances with <see cref="InstanceRow.HasHistoryApart"/>.</summary>
    public IEnumerable<InstanceRow> HistoryApart() =>
        Instances.Where(write => write.Row.HasHistoryApart).Select(write => write.Row);
}
