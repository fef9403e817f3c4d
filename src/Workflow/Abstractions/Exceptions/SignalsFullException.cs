namespace Workflow.Abstractions.Exceptions;

/// <summary>The limit of buffered signals of the instance, the key or the lane is reached.</summary>
public sealed class SignalsFullException(string what, TimeSpan retryAfter) : WorkflowException(
    $"{what} Retry after {retryAfter.TotalSeconds:0.#} s, when some were taken or have expired.")
{
    public TimeSpan RetryAfter { get; } = retryAfter;
    public override string Code => "signals-full";
}
