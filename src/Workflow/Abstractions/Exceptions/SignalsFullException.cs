namespace Workflow.Abstractions.Exceptions;

/// <summary>The limit of buffered signals of the instance, the key or the lane is reached.</summary>
public sealed class SignalsFullException : WorkflowException
{
    public SignalsFullException(string what, TimeSpan retryAfter)
        : this(retryAfter, $"{what} Retry after {retryAfter.TotalSeconds:0.#} s, when some were taken or have expired.")
    {
    }

    private SignalsFullException(TimeSpan retryAfter, string message)
        : base(message) => RetryAfter = retryAfter;

    public TimeSpan RetryAfter { get; }
    public override string Code => "signals-full";

    /// <summary>Reported by the node that owns the lane.</summary>
    public static SignalsFullException OfOwner(string message, TimeSpan retryAfter) => new(retryAfter, message);
}
