namespace Workflow.Abstractions.Exceptions;

/// <summary>A lane has as many commands pending as it accepts.</summary>
public sealed class OverloadedException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public OverloadedException(int pending, int limit, TimeSpan retryAfter)
        : base($"The engine has {pending} commands pending in this lane, its limit is {limit}. Retry after {retryAfter.TotalSeconds:0.#} s, or raise LaneCapacity.")
    {
        RetryAfter = retryAfter;
    }

    /// <summary>When to try again.</summary>
    public TimeSpan RetryAfter { get; }

    /// <inheritdoc/>
    public override string Code => "overloaded";
}
