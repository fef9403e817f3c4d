namespace PerformanceTesting.Backends;

/// <summary>A backend that was asked for cannot be had, or a variable that chooses it is wrong. The message holds no secret.</summary>
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
