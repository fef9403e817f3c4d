using Workflow.Engine.Configuration;

namespace IntegrationTests.Shared.Conformance;

/// <summary>The reference model, with engines that keep nothing in memory that waits.</summary>
public sealed class DormantInMemoryStoreFixture : InMemoryStoreFixture
{
    public override ResidencyOptions Residency { get; } = new() { IdleTime = TimeSpan.Zero };
}
