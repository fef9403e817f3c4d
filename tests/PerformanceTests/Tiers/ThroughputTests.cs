using IntegrationTests.Shared.Backends;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>As much as the engine carries.</summary>
[Trait(TierNames.Trait, TierNames.Throughput)]
public sealed class ThroughputTests(BackendFixture backends, RunFixture run) : TierTests(backends, run)
{
    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    [InlineData("postgres-redis")]
    [InlineData("oracle-aq")]
    [InlineData("oracle-redis")]
    [InlineData("mongo")]
    [InlineData("mongo-redis")]
    public Task Signal_roundtrip_parallel(string profile) =>
        RunAsync(new SignalRoundTripThroughputScenario(SignalRoundTripThroughputScenario.Parallel.At(Variables.Size)), profile);
}
