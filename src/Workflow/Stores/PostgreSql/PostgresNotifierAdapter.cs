using Workflow.Abstractions.Notifications;

namespace Workflow.Stores.PostgreSql;

/// <summary>Notifications by the server's own <c>LISTEN</c> and <c>NOTIFY</c>.</summary>
public sealed class PostgresNotifierAdapter : INotifierAdapter
{
    public string Provider => INotifierAdapter.Native;
    public string? Store => PostgresAdapter.Name;
    public string? ExampleConnectionString => null;

    public string? FindConnectionProblem(string? connectionString) => null;

    public INotifier Create(NotifierSettings settings, IServiceProvider services) => new PostgresNotifier(
        new() { ConnectionString = settings.ConnectionString, Schema = settings.Cluster },
        services.GetService(typeof(TimeProvider)) as TimeProvider);
}
