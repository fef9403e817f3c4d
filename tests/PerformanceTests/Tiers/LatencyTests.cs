using IntegrationTests.Shared.Backends;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>One workflow at a time.</summary>
[Trait(TierNames.Trait, TierNames.Latency)]
public sealed class LatencyTests(BackendFixture backends, RunFixture run) : TierTests(backends, run)
{
    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    [InlineData("postgres-redis")]
    [InlineData("oracle-aq")]
    [InlineData("oracle-redis")]
    [InlineData("mongo")]
    [InlineData("mongo-redis")]
    public Task Signal_roundtrip_serial(string profile) =>
        RunAsync(new SignalRoundTripLatencyScenario(SignalRoundTripLatencyScenario.Serial.At(Variables.Size)), profile);
}
