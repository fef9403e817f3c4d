using IntegrationTests.Shared.Conformance;

namespace UnitTests.Workflow.Engine;

/// <summary>The reference model runs every suite, one line each.</summary>
public static class InMemoryConformance
{
    public sealed class Starting(InMemoryStoreFixture stores) : StartingConformance<InMemoryStoreFixture>(stores);
}
