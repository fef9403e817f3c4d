namespace PerformanceTesting.Backends.MongoDb;

/// <summary>
/// A server that refused a command, or none that answered; in the driver's words, without a password.
/// </summary>
/// <param name="message">What happened.</param>
/// <param name="code">The server's error number; 0 when no server answered.</param>
/// <param name="inner">The driver's exception.</param>
public sealed class MongoRefusalException(string message, int code = 0, Exception? inner = null)
    : Exception(message, inner)
{
    public const int Unauthorized = 13;
    public const int AlreadyInitialized = 23;

    public int Code { get; } = code;
}
