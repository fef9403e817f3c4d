namespace Workflow.Abstractions.Exceptions;

/// <summary>The store cannot be reached, or went away while a command was on its way.</summary>
public sealed class StoreUnavailableException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public StoreUnavailableException(string message, bool outcomeUnknown, Exception? inner = null)
        : base(message, inner)
    {
        OutcomeUnknown = outcomeUnknown;
    }

    /// <summary>True when the command may or may not have been committed: repeat it with the same idempotency key.</summary>
    public bool OutcomeUnknown { get; }

    /// <inheritdoc/>
    public override string Code => "store-unavailable";
}
