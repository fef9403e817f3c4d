namespace LoadTesting.Core.Load;

/// <summary>Status codes set by the engine itself, with NBomber's values.</summary>
public static class FailureCodes
{
    /// <summary>The body ended with an <see cref="OperationCanceledException"/>: a timeout.</summary>
    public const string OperationTimeout = "-100";

    /// <summary>The body ended with any other exception.</summary>
    public const string UnhandledException = "-101";

    /// <summary>The failure for an exception of a body.</summary>
    public static Response<T> ResponseTo<T>(Exception exception) =>
        exception is OperationCanceledException
            ? Response.Fail<T>(OperationTimeout, $"operation timeout: {exception.Message}")
            : Response.Fail<T>(UnhandledException, $"{exception.GetType().Name}: {exception.Message}");
}
