namespace Workflow.Abstractions.Exceptions;

/// <summary>An idempotency key was used before for something else.</summary>
public sealed class IdempotencyConflictException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public IdempotencyConflictException(string key)
        : base($"The idempotency key '{key}' was used before with another request. Use a new key for a new request, and the same key only to repeat the same one.")
    {
        Key = key;
    }

    /// <summary>The key.</summary>
    public string Key { get; }

    /// <inheritdoc/>
    public override string Code => "idempotency-conflict";
}
