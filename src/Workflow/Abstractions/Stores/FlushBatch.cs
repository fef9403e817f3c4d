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

    /// <summary>Instances as they are now, each once.</summary>
    public List<InstanceWrite> Instances { get; } = [];

    public List<PendingRow> Pending { get; } = [];

    /// <summary>Ids of pending rows that were consumed, handled or given up; each must be stored.</summary>
    public List<Guid> PendingRemoved { get; } = [];

    /// <summary>New tasks (<see cref="TaskRow"/>), and changes of open ones (<see cref="TaskChange"/>): of each task one.</summary>
    public List<ITaskWrite> Tasks { get; } = [];

    public List<ChildRow> Children { get; } = [];

    /// <summary>
    /// New dead letters (<see cref="DeadLetterRow"/>), and those that were tried again, which must be stored and open
    /// (<see cref="DeadLetterChange"/>): of each one.
    /// </summary>
    public List<IDeadLetterWrite> DeadLetters { get; } = [];

    /// <summary>Answers to messages of nodes that wait for them; none where there is no <see cref="IWorkflowStore.Cluster"/>.</summary>
    public List<ReplyRow> Replies { get; } = [];

    /// <summary>Idempotency keys; one that is stored already is a conflict.</summary>
    public List<IdempotencyRow> Keys { get; } = [];

    /// <summary>Events, in order of sequence.</summary>
    public List<EventRow> Events { get; } = [];

    /// <summary>Nothing is to be written. Replies never come without a message removed, nor tasks without an instance.</summary>
    public bool IsEmpty =>
        Instances.Count + Pending.Count + PendingRemoved.Count + Keys.Count + Events.Count + DeadLetters.Count == 0;

    /// <summary>The rows of instances that replace one thing, and from now on are over or live on.</summary>
    public IEnumerable<InstanceRow> InstancesOf(InstanceOrigin origin, bool isOver) =>
        Instances.Where(write => write.Origin == origin && write.Row.IsOver == isOver).Select(write => write.Row);

    /// <summary>All instances with <see cref="InstanceRow.HasHistoryApart"/>.</summary>
    public IEnumerable<InstanceRow> HistoryApart() => Instances.Where(write => write.Row.HasHistoryApart).Select(write => write.Row);
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

/// <summary>The answer to a message, written in the commit that handled it. One that nobody takes is removed after ten minutes.</summary>
/// <param name="Body">JSON, written and read by the engine alone.</param>
public sealed record ReplyRow(Guid MessageId, string Body, DateTimeOffset CreatedUtc);

/// <summary>An integration event in the outbox.</summary>
/// <param name="Stream">The lane's stream.</param>
/// <param name="Sequence">From 1, without gaps, in commit order.</param>
/// <param name="Definition">Definition name of the instance, if any.</param>
/// <param name="Body">The event as JSON, in UTF-8; never changed.</param>
public sealed record EventRow(int Stream, long Sequence, string Type, string? Definition, byte[] Body, DateTimeOffset CreatedUtc);
