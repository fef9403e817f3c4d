using Workflow.Abstractions.Notifications;

namespace Workflow.Stores.PostgreSql;

public sealed class PostgresAdapter : IStoreAdapter
{
    public const string Name = "Postgres";

    public string Provider => Name;
    public string? ExampleConnectionString => "Host=127.0.0.1;Database=workflow;Username=...;Password=...";
    public string? WhyNoSchema => null;

    public string? WhyUnusable(string connectionString) => StoreSettings.WhyNoPairs(connectionString);

    public IWorkflowStore Create(StoreSettings settings) =>
        new PostgresStore(new PostgresStoreOptions { ConnectionString = settings.ConnectionString!, Schema = settings.Schema });
}

/// <summary>Notifications by the server's own <c>LISTEN</c> and <c>NOTIFY</c>.</summary>
public sealed class PostgresNotifierAdapter : INotifierAdapter
{
    public string Provider => INotifierAdapter.Native;
    public string? Store => PostgresAdapter.Name;
    public string? ExampleConnectionString => null;

    public string? WhyUnusable(string? connectionString) => null;

    public INotifier Create(NotifierSettings settings, IServiceProvider services) => new PostgresNotifier(
        new() { ConnectionString = settings.ConnectionString, Schema = settings.Cluster },
        services.GetService(typeof(TimeProvider)) as TimeProvider);
}
