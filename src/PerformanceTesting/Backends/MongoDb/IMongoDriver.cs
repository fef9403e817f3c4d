using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>
/// What is asked of MongoDB's driver, so that all else about these servers can be tested against a script. An implementer throws what fails
/// as <see cref="MongoRefusalException"/>, and never a password.
/// </summary>
public interface IMongoDriver
{
    /// <summary>Makes a client; nothing is connected yet.</summary>
    /// <exception cref="MongoRefusalException">The driver cannot read the connection string; the message repeats none of it.</exception>
    IMongoLink Open(string connectionString);

    /// <summary>An engine's store in the database that the connection string names.</summary>
    IWorkflowStore CreateStore(string connectionString);

    /// <summary>Notifications by the changes of that store's inbox, for an engine of so many lanes.</summary>
    INotifier CreateNotifier(string connectionString, int lanes);
}

/// <summary>A client of a MongoDB server. Thread-safe.</summary>
public interface IMongoLink : IDisposable
{
    /// <summary>Runs a command on the primary.</summary>
    /// <param name="database">Where; <c>admin</c> for what concerns the whole server.</param>
    /// <param name="command">Extended JSON, the command's name first.</param>
    /// <param name="cancellationToken">Ends the wait; without it, fifteen seconds do.</param>
    /// <returns>The reply, as relaxed Extended JSON.</returns>
    /// <exception cref="MongoRefusalException">The server refuses, or none answers.</exception>
    Task<JsonElement> RunAsync(string database, string command, CancellationToken cancellationToken);
}

/// <summary>A server that refused a command, or none that answered; in the driver's words, without a password.</summary>
/// <param name="message">What happened.</param>
/// <param name="code">The server's error number; 0 when no server answered.</param>
/// <param name="inner">The driver's exception.</param>
public sealed class MongoRefusalException(string message, int code = 0, Exception? inner = null) : Exception(message, inner)
{
    public const int Unauthorized = 13;
    public const int AlreadyInitialized = 23;

    public int Code { get; } = code;
}
