namespace Workflow.Abstractions.Stores;

/// <summary>Kinds of failed flushes; each asks for another answer.</summary>
public enum FlushFailure
{
    /// <summary>The store is away; the batch may or may not be committed. Reload: the lane's last batch number tells.</summary>
    Unavailable,

    /// <summary>The store refused the content; nothing was committed. Some command of the batch is to blame.</summary>
    Rejected,

    /// <summary>Memory and store disagree (revision, presence, batch number); nothing was committed. Reload and repeat.</summary>
    Stale,

    /// <summary>Another owner has the lane; nothing was committed and nothing ever will be.</summary>
    Fenced,
}
