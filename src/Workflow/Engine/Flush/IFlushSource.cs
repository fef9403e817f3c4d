namespace Workflow.Engine.Flush;

/// <summary>A lane as its committer sees it.</summary>
internal interface IFlushSource
{
    /// <summary>The failure of the flush; null if it was committed. Set before <see cref="EndFlush"/>.</summary>
    FlushException? Outcome { set; }

    /// <summary>Closes the open batch and converts it into rows, on the committer's thread.</summary>
    /// <param name="awaited">The number of callers that wait for the batch.</param>
    /// <param name="size">An upper estimate of the characters of its rows.</param>
    /// <returns>Null if there is nothing to commit any more.</returns>
    LaneFlush? SealBatch(out int awaited, out long size);

    /// <summary>The flush has ended; the lane continues with its outcome.</summary>
    void EndFlush();
}
