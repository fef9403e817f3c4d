namespace Workflow.Abstractions.Stores;

/// <summary>A flush did not return success.</summary>
public sealed class FlushException : Exception
{
    /// <summary>Makes the error.</summary>
    public FlushException(FlushFailure failure, string message, Exception? inner = null)
        : base(message, inner) => Failure = failure;

    /// <summary>What kind of failure.</summary>
    public FlushFailure Failure { get; }
}
