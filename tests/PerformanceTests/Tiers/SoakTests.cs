using IntegrationTests.Shared.Backends;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>For as long as <c>WORKFLOW_PERF_DURATION</c> says, else a number of operations.</summary>
[Trait(TierNames.Trait, TierNames.Soak)]
public sealed class SoakTests(BackendFixture backends, RunFixture run) : TierTests(backends, run)
{
    /// <summary>Some 15,000 instances a second that are kept for a day are 2 GB after this time.</summary>
    private static readonly TimeSpan LongestInMemory = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    [InlineData("postgres-redis")]
    [InlineData("oracle-aq")]
    [InlineData("oracle-redis")]
    [InlineData("mongo")]
    [InlineData("mongo-redis")]
    public Task Signal_roundtrip(string profile)
    {
        Assert.SkipWhen(
            BackendProfile.Parse(profile) == BackendProfile.Memory && Variables.Duration > LongestInMemory,
            $"The memory store keeps every instance that completed; {PerformanceVariables.DurationName} of at most {LongestInMemory.TotalSeconds}s soaks it, longer ones are for durable backends.");
        return RunAsync(new SignalRoundTripSoakScenario(SignalRoundTripSoakScenario.Soak.At(Variables.Size), Variables.Duration), profile);
    }
}
