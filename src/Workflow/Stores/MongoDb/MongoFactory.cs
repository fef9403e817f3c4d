using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;

namespace Workflow.Stores.MongoDb;

/// <summary>What a host finds by name: this assembly is empty in a build without the driver.</summary>
public static class MongoFactory
{
    /// <summary>Makes a store that connects when it is opened.</summary>
    /// <param name="connectionString">See <see cref="MongoStoreOptions.ConnectionString"/>.</param>
    /// <exception cref="ArgumentException">The connection string is wrong; the message has no password.</exception>
    public static IWorkflowStore CreateStore(string connectionString) => new MongoStore(new() { ConnectionString = connectionString });

    /// <summary>Makes notifications by the changes of that store's inbox, which connect when they are listened to.</summary>
    /// <param name="connectionString">The store's.</param>
    /// <param name="lanes">How many lanes the cluster has, 1 to 64.</param>
    /// <param name="timeProvider">For pauses and limits.</param>
    /// <exception cref="ArgumentException">The connection string or the number is wrong; the message has no password.</exception>
    public static INotifier CreateNotifier(string connectionString, int lanes, TimeProvider timeProvider) =>
        new MongoNotifier(new() { ConnectionString = connectionString, Lanes = lanes }, timeProvider);
}
