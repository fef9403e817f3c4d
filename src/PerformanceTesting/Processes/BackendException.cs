namespace PerformanceTesting.Processes;

/// <summary>
/// A backend that was asked for is not available, or a variable that chooses it is wrong. The message holds no secret.
/// </summary>
public sealed class BackendException : Exception
{
    public BackendException(string message)
        : base(message)
    {
    }

    public BackendException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
