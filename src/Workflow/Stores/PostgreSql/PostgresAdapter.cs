using Workflow.Abstractions.Stores;

namespace Workflow.Stores.PostgreSql;

public sealed class PostgresAdapter : IStoreAdapter
{
    public string Provider => "Postgres";
    public string? ExampleConnectionString => "Host=127.0.0.1;Database=workflow;Username=...;Password=...";
    public string? WhyNoSchema => null;

    public string? WhyUnusable(string connectionString) => StoreSettings.WhyNoPairs(connectionString);

    public IWorkflowStore Create(StoreSettings settings) =>
        new PostgresStore(new PostgresStoreOptions { ConnectionString = settings.ConnectionString!, Schema = settings.Schema });
}
