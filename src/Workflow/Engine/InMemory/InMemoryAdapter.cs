namespace Workflow.Engine.InMemory;

public sealed class InMemoryAdapter : IStoreAdapter
{
    public string Provider => "Memory";
    public string? ExampleConnectionString => null;
    public string? SchemaUnsupportedReason => null;

    public string? FindConnectionProblem(string connectionString) => null;
    public IWorkflowStore Create(StoreSettings settings) => new InMemoryStore();
}
