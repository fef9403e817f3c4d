using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace PerformanceTesting.Backends.Mongo;

/// <summary>
/// What is asked of MongoDB's driver, which only the full feed has. All else about these servers is written against this, and so compiled and tested
/// everywhere. An implementer tells what fails as <see cref="MongoRefusalException"/>, and never a password.
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
