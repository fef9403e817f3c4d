namespace Workflow.Abstractions.Exceptions;

/// <summary>
/// Thrown by an activity that would fail again in the same way, e.g. for invalid input. The step fails at once, even if
/// its retry policy allows more attempts. After any other exception the activity is retried.
/// </summary>
public sealed class NonRetryableActivityException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>
    /// The error code for the step's <c>errorResult</c>, 1 to 128 characters. Null (the default) or any other text
    /// means none.
    /// </summary>
    public string? Code { get; init; }
}
