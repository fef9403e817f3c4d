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

    /// <summary>
    /// Instances that had failed and went on, as they are now: live, or over once more. Each must be stored as failed with one revision
    /// less; its history goes on. Null where there are none.
    /// </summary>
    public List<InstanceRow>? Retried { get; set; }

    public List<SignalRow> SignalsAdded { get; } = [];

    /// <summary>Ids of signals that were consumed or given up; each must be stored.</summary>
    public List<Guid> SignalsRemoved { get; } = [];

    public List<SubscriptionRow> SubscriptionsAdded { get; } = [];

    /// <summary>Wait ids of subscriptions to forget; each must be stored.</summary>
    public List<Guid> SubscriptionsRemoved { get; } = [];

    public List<TaskRow> TasksAdded { get; } = [];

    /// <summary>Changes of tasks; each must be stored and open.</summary>
    public List<TaskChange> TasksChanged { get; } = [];

    public List<ChildRow> ChildrenAdded { get; } = [];
    public List<MessageRow> MessagesAdded { get; } = [];

    /// <summary>Ids of handled messages; each must be stored.</summary>
    public List<Guid> MessagesRemoved { get; } = [];

    /// <summary>Answers to messages of nodes that wait for them; none where there is no <see cref="IWorkflowStore.Cluster"/>.</summary>
    public List<ReplyRow> Replies { get; } = [];

    /// <summary>Idempotency keys; one that is stored already is a conflict.</summary>
    public List<IdempotencyRow> Keys { get; } = [];

    public List<DeadLetterRow> DeadLettersAdded { get; } = [];

    /// <summary>Dead letters that were tried again, each once; each must be stored and open.</summary>
    public List<DeadLetterChange> DeadLettersChanged { get; } = [];

    /// <summary>Events, in order of sequence.</summary>
    public List<EventRow> Events { get; } = [];

    /// <summary>All instances with <see cref="InstanceRow.HasHistoryApart"/>.</summary>
    public List<InstanceRow> HistoryApart() => [.. Updated.Concat(Finished).Concat(Retried ?? []).Where(i => i.HasHistoryApart)];

    /// <summary>Nothing is to be written. Replies never come without a message removed, nor tasks without an instance.</summary>
    public bool IsEmpty =>
        Inserted.Count + Updated.Count + Finished.Count + SignalsAdded.Count + SignalsRemoved.Count + SubscriptionsAdded.Count
        + SubscriptionsRemoved.Count + MessagesAdded.Count + MessagesRemoved.Count + Keys.Count + Events.Count
        + DeadLettersAdded.Count + DeadLettersChanged.Count == 0 && Retried is null;
}

/// <summary>Kinds of failed flushes; each asks for another answer.</summary>
public enum FlushFailure
{
    /// <summary>The store is away; the batch may or may not be committed. Reload and compare the lane's last batch number.</summary>
    Unavailable,

    /// <summary>The store refused the content; nothing was committed. Some command of the batch is to blame.</summary>
    Rejected,

    /// <summary>
    /// Another transaction was first: it has taken an idempotency key of the batch, or the server has rolled this one back for its sake.
    /// Nothing was committed. Look the keys up and repeat.
    /// </summary>
    Conflict,

    /// <summary>Memory and store disagree (revision, presence, batch number); nothing was committed. Reload and repeat.</summary>
    Stale,

    /// <summary>Another owner has the lane; nothing was committed and nothing ever will be.</summary>
    Fenced,
}

/// <summary>A flush did not return success.</summary>
public sealed class FlushException : Exception
{
    public FlushException(FlushFailure failure, string message, Exception? inner = null)
        : base(message, inner) => Failure = failure;

    public FlushFailure Failure { get; }
}

/// <summary>An idempotency key and what it led to.</summary>
/// <param name="Key">The caller's key, prefixed with the kind of request.</param>
/// <param name="RequestHash">Hash of the request, so that a key used for another request is noticed.</param>
/// <param name="ResultId">The instance started or the signal accepted.</param>
public sealed record IdempotencyRow(string Key, string RequestHash, Guid ResultId, DateTimeOffset CreatedUtc);

/// <summary>A durable message from one partition to another, removed in the commit that handles it.</summary>
/// <param name="Partition">The partition it is for.</param>
/// <param name="Kind">What it asks; the engine's own word.</param>
/// <param name="Body">JSON, written and read by the engine alone.</param>
/// <param name="Position">Order within the sender.</param>
public sealed record MessageRow(Guid Id, short Partition, string Kind, string Body, long Position);

/// <summary>The answer to a message, written in the commit that handled it. One that nobody takes is removed after ten minutes.</summary>
/// <param name="Body">JSON, written and read by the engine alone.</param>
public sealed record ReplyRow(Guid MessageId, string Body, DateTimeOffset CreatedUtc);

/// <summary>An integration event in the outbox.</summary>
/// <param name="Stream">The lane's stream.</param>
/// <param name="Sequence">From 1, without gaps, in commit order.</param>
/// <param name="Definition">Definition name of the instance, if any.</param>
/// <param name="Body">The event as JSON, in UTF-8; never changed.</param>
public sealed record EventRow(int Stream, long Sequence, string Type, string? Definition, byte[] Body, DateTimeOffset CreatedUtc);
