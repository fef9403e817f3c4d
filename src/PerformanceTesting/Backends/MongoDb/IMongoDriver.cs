using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>
/// What is asked of MongoDB's driver, so that all else about these servers can be tested against a script. An
/// implementer throws what fails as <see cref="MongoRefusalException"/>, and never a password.
/// </summary>
public interface IMongoDriver
{
    /// <summary>Makes a client; nothing is connected yet.</summary>
    /// <exception cref="MongoRefusalException">
    /// The driver cannot read the connection string; the message repeats none of it.
    /// </exception>
    IMongoLink Open(string connectionString);

    /// <summary>An engine's store in the database that the connection string names.</summary>
    IWorkflowStore CreateStore(string connectionString);

    /// <summary>Notifications by the changes of that store's inbox.</summary>
    INotifier CreateNotifier(string connectionString, int lanes);
}
