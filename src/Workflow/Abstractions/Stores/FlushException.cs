namespace Workflow.Abstractions.Stores;

/// <summary>A flush failed.</summary>
public sealed class FlushException : Exception
{
    public FlushException(FlushFailure failure, string message, Exception? inner = null)
        : base(message, inner) => Failure = failure;

    public FlushFailure Failure { get; }
}
