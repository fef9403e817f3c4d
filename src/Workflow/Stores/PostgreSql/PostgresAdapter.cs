namespace Workflow.Stores.PostgreSql;

public sealed class PostgresAdapter : IStoreAdapter
{
    public const string Name = "Postgres";

    public string Provider => Name;
    public string? ExampleConnectionString => "Host=127.0.0.1;Database=workflow;Username=...;Password=...";
    public string? SchemaUnsupportedReason => null;

    public string? FindConnectionProblem(string connectionString) =>
        StoreSettings.FindKeyValueProblem(connectionString);

    public IWorkflowStore Create(StoreSettings settings) =>
        new PostgresStore(
            new PostgresStoreOptions { ConnectionString = settings.ConnectionString!, Schema = settings.Schema });
}
