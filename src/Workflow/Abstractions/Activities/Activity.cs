namespace Workflow.Abstractions.Activities;

/// <summary>Work that an <c>invoke</c> step calls. It may be called twice for one step when the engine restarts in between.</summary>
public sealed record Activity
{
    public required string Name { get; init; }

    /// <summary>
    /// The work: input to result. An exception fails the attempt; where the step has a retry policy, another follows after a durable pause,
    /// unless the exception is a <see cref="Exceptions.NonRetryableActivityException"/>. The token is cancelled when the step's lane ends
    /// here, which waits 5 s for the work: it is called again by the lane's next owner, and what it returns after that does not count.
    /// </summary>
    public required Func<Value, CancellationToken, ValueTask<Value>> InvokeAsync { get; init; }

    /// <summary>
    /// True for work that is pure, needs no input or output and takes microseconds: it is called within the transition, without a commit of
    /// its own, and must complete synchronously. False (default): it is called after the commit that says so, beside the lane.
    /// </summary>
    public bool Inline { get; init; }
}
