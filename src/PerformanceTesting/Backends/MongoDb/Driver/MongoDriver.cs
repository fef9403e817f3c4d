using MongoDB.Driver;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;

namespace PerformanceTesting.Backends.MongoDb.Driver;

/// <summary>MongoDB's driver, on the full feed; found by its name.</summary>
internal sealed class MongoDriver : IMongoDriver
{
    public IMongoLink Open(string connectionString)
    {
        try
        {
            var settings = MongoClientSettings.FromUrl(new MongoUrl(connectionString));
            settings.ApplicationName = MongoWaits.ApplicationName;
            settings.ServerSelectionTimeout = DriverLink.SelectionLimit;
            settings.ConnectTimeout = TimeSpan.FromSeconds(5);
            return new DriverLink(new MongoClient(settings));
        }
        catch (Exception exception) when (exception is MongoConfigurationException or FormatException or ArgumentException)
        {
            throw new MongoRefusalException("the driver cannot read the connection string."); // Not chained: its message quotes the string.
        }
    }

    public IWorkflowStore CreateStore(string connectionString) => new MongoStore(new() { ConnectionString = connectionString });

    public INotifier CreateNotifier(string connectionString, int lanes) =>
        new MongoNotifier(new() { ConnectionString = connectionString, Lanes = lanes });
}
