namespace Workflow.Abstractions.Exceptions;

/// <summary>The queue of a lane, or of a node to other nodes, is full.</summary>
public sealed class OverloadedException : WorkflowException
{
    public OverloadedException(int pending, int limit, TimeSpan retryAfter)
        : this($"{pending} commands pending for this lane, its limit is {limit}", "MaxPendingCommands", retryAfter)
    {
    }

    private OverloadedException(string what, string option, TimeSpan retryAfter)
        : base($"The engine has {what}. Retry after {retryAfter.TotalSeconds:0.#} s, or raise {option}.") =>
            RetryAfter = retryAfter;

    private OverloadedException(string message, TimeSpan retryAfter)
        : base(message) => RetryAfter = retryAfter;

    public TimeSpan RetryAfter { get; }
    public override string Code => "overloaded";

    /// <summary>Reported by the node that owns the lane.</summary>
    public static OverloadedException OfOwner(string message, TimeSpan retryAfter) => new(message, retryAfter);

    /// <summary>
    /// The total size of the pending commands, in characters of their values as JSON, is at its limit.
    /// </summary>
    public static OverloadedException OfSize(long pending, long limit, TimeSpan retryAfter) => new(
        $"pending commands with {pending} characters of values for this lane, its limit is {limit}", "MaxPendingSize",
        retryAfter);
}
