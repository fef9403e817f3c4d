namespace Workflow.Abstractions.Exceptions;

/// <summary>The store cannot be reached, or was lost while a command was being committed.</summary>
public sealed class StoreUnavailableException(string message, bool outcomeUnknown, Exception? inner = null)
    : WorkflowException(message, inner)
{
    /// <summary>
    /// True when the command may or may not have been committed: repeat it with the same idempotency key.
    /// </summary>
    public bool OutcomeUnknown { get; } = outcomeUnknown;

    public override string Code => "store-unavailable";
}
