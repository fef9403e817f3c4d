using Workflow.Engine.InMemory;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Contents of the reference model.</summary>
public class InMemoryStoreFixture : StoreFixture
{
    public override string? HolderInWords => "an engine of this process";

    public override Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken)
    {
        var content = new InMemoryStore();
        return Task.FromResult<Func<IWorkflowStore>>(content.Reopen);
    }
}
