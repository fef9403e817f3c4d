using Workflow.Abstractions.Stores;

namespace Workflow.DataStore.MongoDb;

/// <summary>What a host finds by name: this assembly is empty in a build without the driver.</summary>
public static class MongoFactory
{
    /// <summary>Makes a store that connects when it is opened.</summary>
    /// <param name="connectionString">See <see cref="MongoStoreOptions.ConnectionString"/>.</param>
    /// <exception cref="ArgumentException">The connection string is wrong; the message has no password.</exception>
    public static IWorkflowStore CreateStore(string connectionString) => new MongoStore(new() { ConnectionString = connectionString });
}
