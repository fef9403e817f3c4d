using Workflow.Stores.Memory;

namespace IntegrationTests.Shared.Conformance;

/// <summary>How a store takes part in the suites: a class fixture that makes fresh, empty contents.</summary>
public abstract class StoreFixture
{
    /// <summary>Words by which the refusal of a second engine names who holds the store; null when several engines can share it.</summary>
    public virtual string? HolderInWords => null;

    /// <summary>Makes an empty content and returns the factory of its handles: each call opens it once more, as a restart would.</summary>
    public abstract Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken);
}

/// <summary>Contents of the reference model.</summary>
public sealed class InMemoryStoreFixture : StoreFixture
{
    public override string? HolderInWords => "an engine of this process";

    public override Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken)
    {
        var content = new InMemoryStore();
        return Task.FromResult<Func<IWorkflowStore>>(content.Reopen);
    }
}
