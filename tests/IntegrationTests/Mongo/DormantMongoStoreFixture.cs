using Workflow.Engine.Configuration;

namespace IntegrationTests.Mongo;

/// <summary>Content on MongoDB, with engines that keep nothing in memory that waits.</summary>
public sealed class DormantMongoStoreFixture(BackendFixture backends) : MongoStoreFixture(backends)
{
    public override ResidencyOptions Residency { get; } = new() { IdleTime = TimeSpan.Zero };
}
