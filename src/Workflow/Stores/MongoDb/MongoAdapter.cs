using Workflow.Abstractions.Notifications;

namespace Workflow.Stores.MongoDb;

/// <summary>The store on MongoDB.</summary>
public sealed class MongoAdapter : IStoreAdapter
{
    internal const string Name = "Mongo";

    public string Provider => Name;

    public string? ExampleConnectionString => "mongodb://user:password@127.0.0.1:27017/workflow?replicaSet=rs0";

    public string? WhyNoSchema => "which has the database that ConnectionStrings:Workflow names instead";
    public string? WhyNoRemoval => "which keeps finished instances";

    public string? WhyUnusable(string connectionString) =>
        connectionString.StartsWith("mongodb://", StringComparison.Ordinal)
        || connectionString.StartsWith("mongodb+srv://", StringComparison.Ordinal)
            ? null
            : "does not begin with mongodb:// or mongodb+srv://";

    public IWorkflowStore Create(StoreSettings settings) => new MongoStore(new() { ConnectionString = settings.ConnectionString! });
}

/// <summary>Notifications by the changes of the store's inbox.</summary>
public sealed class MongoNotifierAdapter : INotifierAdapter
{
    public string Provider => INotifierAdapter.Native;

    public string? Store => MongoAdapter.Name;

    public string? ExampleConnectionString => null;

    public string? WhyUnusable(string? connectionString) => null;

    public INotifier Create(NotifierSettings settings, IServiceProvider services) => new MongoNotifier(
        new() { ConnectionString = settings.ConnectionString, Lanes = settings.Lanes },
        services.GetService(typeof(TimeProvider)) as TimeProvider);
}
