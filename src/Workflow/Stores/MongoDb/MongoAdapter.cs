namespace Workflow.Stores.MongoDb;

/// <summary>The store on MongoDB.</summary>
public sealed class MongoAdapter : IStoreAdapter
{
    internal const string Name = "Mongo";

    public string Provider => Name;

    public string? ExampleConnectionString => MongoTarget.Example;

    public string? SchemaUnsupportedReason => "which has the database that ConnectionStrings:Workflow names instead";
    public string? RemovalUnsupportedReason => "which keeps finished instances";

    public string? FindConnectionProblem(string connectionString) =>
        connectionString.StartsWith("mongodb://", StringComparison.Ordinal)
        || connectionString.StartsWith("mongodb+srv://", StringComparison.Ordinal)
            ? null
            : "does not begin with mongodb:// or mongodb+srv://";

    public IWorkflowStore Create(StoreSettings settings) =>
        new MongoStore(new() { ConnectionString = settings.ConnectionString! });
}
