namespace Workflow.Engine.Flush;

internal interface IFlusher
{
    /// <summary>
    /// A lane has something to commit. The committer takes its batch when the next transaction begins.
    /// </summary>
    void Offer(IFlushSource source);

    /// <summary>
    /// Adds to the number of commands with waiting callers in open batches; negative when they leave.
    /// </summary>
    void AddWaiting(int commands);
}
