using Workflow.Engine.Configuration;

namespace IntegrationTests.Shared.Conformance;

/// <summary>How a store takes part in the suites: a class fixture that makes fresh, empty contents.</summary>
public abstract class StoreFixture
{
    /// <summary>Text that names the holder to a second engine; null if engines can share the store.</summary>
    public virtual string? HolderInWords => null;

    /// <summary>How many instances the engines keep in memory; null for what the test says.</summary>
    public virtual ResidencyOptions? Residency => null;

    /// <summary>Creates empty content and returns the factory of its handles. Each call stands for a restart.</summary>
    public abstract Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken);
}
