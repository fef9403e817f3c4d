namespace Workflow.Abstractions.Stores;

/// <summary>What one commit writes. Lists are empty where there is nothing.</summary>
public sealed class FlushBatch
{
    /// <summary>One more than the lane's last batch.</summary>
    public long Number { get; set; }

    /// <summary>Sequence of the last event once this batch is committed.</summary>
    public long LastSequence { get; set; }

    /// <summary>Sequence of the last event that every publisher has taken: where publishing resumes after a restart.</summary>
    public long PublishedSequence { get; set; }

    /// <summary>New instances that live on. Revision 1.</summary>
    public List<InstanceRow> Inserted { get; } = [];

    /// <summary>Changed instances that live on. The stored revision must be one less than the row's.</summary>
    public List<InstanceRow> Updated { get; } = [];

    /// <summary>Instances that are over. Revision 1 was never stored before; any other must be stored live with one less.</summary>
    public List<InstanceRow> Finished { get; } = [];

    /// <summary>Signals to keep.</summary>
    public List<SignalRow> SignalsAdded { get; } = [];

    /// <summary>Ids of signals that were consumed or given up; each must be stored.</summary>
    public List<Guid> SignalsRemoved { get; } = [];

    /// <summary>Subscriptions to keep.</summary>
    public List<SubscriptionRow> SubscriptionsAdded { get; } = [];

    /// <summary>Wait ids of subscriptions to forget; each must be stored.</summary>
    public List<Guid> SubscriptionsRemoved { get; } = [];

    /// <summary>New tasks.</summary>
    public List<TaskRow> TasksAdded { get; } = [];

    /// <summary>Changes of tasks; each must be stored and open.</summary>
    public List<TaskChange> TasksChanged { get; } = [];

    /// <summary>Sub-workflows called.</summary>
    public List<ChildRow> ChildrenAdded { get; } = [];

    /// <summary>Messages to other partitions.</summary>
    public List<MessageRow> MessagesAdded { get; } = [];

    /// <summary>Ids of handled messages; each must be stored.</summary>
    public List<Guid> MessagesRemoved { get; } = [];

    /// <summary>Answers to messages of nodes that wait for them; none where there is no <see cref="IWorkflowStore.Cluster"/>.</summary>
    public List<ReplyRow> Replies { get; } = [];

    /// <summary>Idempotency keys; one that is stored already makes the batch stale.</summary>
    public List<IdempotencyRow> Keys { get; } = [];

    /// <summary>Dead letters to keep.</summary>
    public List<DeadLetterRow> DeadLettersAdded { get; } = [];

    /// <summary>Dead letters that were tried again, each once; each must be stored and open.</summary>
    public List<DeadLetterChange> DeadLettersChanged { get; } = [];

    /// <summary>Events, in order of sequence.</summary>
    public List<EventRow> Events { get; } = [];

    /// <summary>True when there is nothing to write. A reply never comes without a message removed, and tasks and sub-workflows never change without an instance.</summary>
    public bool IsEmpty =>
        Inserted.Count + Updated.Count + Finished.Count + SignalsAdded.Count + SignalsRemoved.Count + SubscriptionsAdded.Count
        + SubscriptionsRemoved.Count + MessagesAdded.Count + MessagesRemoved.Count + Keys.Count + Events.Count
        + DeadLettersAdded.Count + DeadLettersChanged.Count == 0;
}
