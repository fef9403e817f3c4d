namespace Workflow.Stores.Oracle;

public sealed class OracleAdapter : IStoreAdapter
{
    public string Provider => "Oracle";

    public string? ExampleConnectionString => "Data Source=127.0.0.1:1521/FREEPDB1;User Id=...;Password=...";

    public string? SchemaUnsupportedReason => "whose schema is that of the user who connects";
    public string? RemovalUnsupportedReason => "which keeps finished instances";

    public string? FindConnectionProblem(string connectionString) =>
        StoreSettings.FindKeyValueProblem(connectionString);

    public IWorkflowStore Create(StoreSettings settings) =>
        new OracleStore(new OracleStoreOptions { ConnectionString = settings.ConnectionString! });
}
