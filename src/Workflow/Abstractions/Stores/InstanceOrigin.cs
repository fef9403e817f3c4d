namespace Workflow.Abstractions.Stores;

/// <summary>What a row of an instance replaces in the store.</summary>
public enum InstanceOrigin
{
    /// <summary>Nothing: the id was never stored. The revision is 1.</summary>
    New,

    /// <summary>A live instance that is stored with the previous revision.</summary>
    Live,

    /// <summary>
    /// A retried instance that is stored as failed with the previous revision. Its history continues.
    /// </summary>
    Failed,

    /// <summary>
    /// A dormant instance that is stored with the previous revision. It is live or over from this commit on, and
    /// <see cref="FlushBatch.DormantWaitsRemoved"/> has its waits.
    /// </summary>
    Dormant,
}
