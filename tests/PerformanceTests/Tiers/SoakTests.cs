using IntegrationTests.Shared.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>For as long as <c>WORKFLOW_PERF_DURATION</c> says, else a number of operations.</summary>
[Trait(TierNames.Trait, TierNames.Soak)]
public sealed class SoakTests(BackendFixture backends, RunFixture run) : TierTests(backends, run)
{
    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    public Task Signal_roundtrip(string profile) =>
        RunAsync(new SignalRoundTripSoakScenario(SignalRoundTripSoakScenario.Soak.At(Variables.Size), Variables.Duration), profile);
}
