namespace Workflow.Abstractions.Stores;

/// <summary>The rows that one commit writes.</summary>
public sealed class FlushBatch
{
    /// <summary>One more than the lane's last batch.</summary>
    public long Number { get; set; }

    /// <summary>Sequence of the last event once this batch is committed.</summary>
    public long LastSequence { get; set; }

    /// <summary>
    /// Sequence of the last event that every publisher has taken: where publishing resumes after a restart.
    /// </summary>
    public long PublishedSequence { get; set; }

    /// <summary>Instances as they are now, each once.</summary>
    public List<InstanceWrite> Instances { get; } = [];

    public List<PendingRow> Pending { get; } = [];

    /// <summary>Ids of pending rows that were consumed, handled or given up; each must be stored.</summary>
    public List<Guid> PendingRemoved { get; } = [];

    /// <summary>
    /// New tasks (<see cref="TaskRow"/>), and changes of open ones (<see cref="TaskChange"/>): of each task one.
    /// </summary>
    public List<ITaskWrite> Tasks { get; } = [];

    public List<ChildRow> Children { get; } = [];

    /// <summary>
    /// New dead letters (<see cref="DeadLetterRow"/>), and those that were tried again, which must be stored and open
    /// (<see cref="DeadLetterChange"/>): of each one.
    /// </summary>
    public List<IDeadLetterWrite> DeadLetters { get; } = [];

    /// <summary>
    /// Answers to messages of nodes that wait for them; none where there is no <see cref="IWorkflowStore.Cluster"/>.
    /// </summary>
    public List<ReplyRow> Replies { get; } = [];

    /// <summary>Idempotency keys; one that is stored already is a conflict.</summary>
    public List<IdempotencyRow> Keys { get; } = [];

    /// <summary>Events, in order of sequence.</summary>
    public List<EventRow> Events { get; } = [];

    /// <summary>
    /// Nothing is to be written. Replies never come without a message removed, nor tasks without an instance.
    /// </summary>
    public bool IsEmpty =>
        Instances.Count + Pending.Count + PendingRemoved.Count + Keys.Count + Events.Count + DeadLetters.Count == 0;

    /// <summary>The rows of instances that replace one thing, and from now on are over or live on.</summary>
    public IEnumerable<InstanceRow> InstancesOf(InstanceOrigin origin, bool isOver) =>
        Instances.Where(write => write.Origin == origin && write.Row.IsOver == isOver).Select(write => write.Row);

    /// <summary>All instances with <see cref="InstanceRow.HasHistoryApart"/>.</summary>
    public IEnumerable<InstanceRow> HistoryApart() =>
        Instances.Where(write => write.Row.HasHistoryApart).Select(write => write.Row);
}
