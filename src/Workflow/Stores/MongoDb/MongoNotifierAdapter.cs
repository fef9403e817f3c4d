using Workflow.Abstractions.Notifications;

namespace Workflow.Stores.MongoDb;

/// <summary>Notifications by the changes of the store's inbox.</summary>
public sealed class MongoNotifierAdapter : INotifierAdapter
{
    public string Provider => INotifierAdapter.Native;

    public string? Store => MongoAdapter.Name;

    public string? ExampleConnectionString => null;

    public string? FindConnectionProblem(string? connectionString) => null;

    public INotifier Create(NotifierSettings settings, IServiceProvider services) => new MongoNotifier(
        new() { ConnectionString = settings.ConnectionString, Lanes = settings.Lanes },
        services.GetService(typeof(TimeProvider)) as TimeProvider);
}
