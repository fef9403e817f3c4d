namespace Workflow.Abstractions.Stores;

/// <summary>The kinds of failed flushes. Each needs a different reaction.</summary>
public enum FlushFailure
{
    /// <summary>
    /// The store is unavailable; the batch may or may not be committed. Reload and compare the lane's last batch
    /// number.
    /// </summary>
    Unavailable,

    /// <summary>The store refused the content of a command; nothing was committed.</summary>
    Rejected,

    /// <summary>
    /// Another transaction came first: it stored an idempotency key of the batch, or the server rolled this transaction
    /// back. Nothing was committed. Look up the keys and repeat.
    /// </summary>
    Conflict,

    /// <summary>
    /// Memory and store disagree (revision, presence, batch number); nothing was committed. Reload and repeat.
    /// </summary>
    Stale,

    /// <summary>Another owner has the lane; nothing was committed, and no later flush can commit.</summary>
    Fenced,
}
