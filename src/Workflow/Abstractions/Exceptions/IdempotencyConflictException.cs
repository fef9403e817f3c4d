namespace Workflow.Abstractions.Exceptions;

/// <summary>An idempotency key was used before for something else.</summary>
public sealed class IdempotencyConflictException(string key) : WorkflowException(
    $"The idempotency key '{key}' was used before with another request. "
    + "Use a new key for a new request, and the same key only to repeat the same one.")
{
    public string Key { get; } = key;
    public override string Code => "idempotency-conflict";
}
