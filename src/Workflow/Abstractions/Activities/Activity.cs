namespace Workflow.Abstractions.Activities;

/// <summary>
/// Work that an <c>invoke</c> step calls. The engine may call it twice for one step if it restarts in between.
/// </summary>
public sealed record Activity
{
    public required string Name { get; init; }

    /// <summary>
    /// Computes the result from the input. An exception fails the attempt. If the step has a retry policy, the next
    /// attempt follows after a durable pause, unless the exception is a
    /// <see cref="Exceptions.NonRetryableActivityException"/>. The token is cancelled when this node stops owning the
    /// step's lane. The node then waits 5 s for the result; later results are ignored, and the next owner of the lane
    /// calls the activity again.
    /// </summary>
    public required Func<Value, CancellationToken, ValueTask<Value>> InvokeAsync { get; init; }

    /// <summary>
    /// True for pure work without I/O that takes microseconds. The engine calls it during the transition, without a
    /// separate commit, and it must complete synchronously. False (default): the engine calls it after the commit of
    /// the transition, concurrently with the lane.
    /// </summary>
    public bool Inline { get; init; }
}
