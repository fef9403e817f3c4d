using IntegrationTests.Shared.Backends;
using Workflow.Engine.Configuration;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Content on PostgreSQL, with engines that keep nothing in memory that waits.</summary>
public sealed class DormantPostgresStoreFixture(BackendFixture backends) : PostgresStoreFixture(backends)
{
    public override ResidencyOptions Residency { get; } = new() { IdleTime = TimeSpan.Zero };
}
