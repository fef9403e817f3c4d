namespace Workflow.Stores.Memory;

public sealed class InMemoryAdapter : IStoreAdapter
{
    public string Provider => "Memory";
    public string? ExampleConnectionString => null;
    public string? WhyNoSchema => null;

    public string? WhyUnusable(string connectionString) => null;
    public IWorkflowStore Create(StoreSettings settings) => new InMemoryStore();
}
