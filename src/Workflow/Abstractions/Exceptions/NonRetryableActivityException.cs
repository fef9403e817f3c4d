namespace Workflow.Abstractions.Exceptions;

/// <summary>
/// Thrown by an activity that would fail in the same way again, e.g. on input it cannot take: the step fails at once, whatever attempts its
/// retry policy leaves. Every other exception of an activity is repeated.
/// </summary>
public sealed class NonRetryableActivityException : Exception
{
    /// <summary>Makes the error.</summary>
    public NonRetryableActivityException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
