namespace PerformanceTests.Tiers;

/// <summary>As much as the engine carries.</summary>
[Trait(TierNames.Trait, TierNames.Throughput)]
public sealed class ThroughputTests(RunFixture run)
{
    [Theory]
    [MemberData(nameof(RunFixture.Profiles), MemberType = typeof(RunFixture))]
    public Task Signal_roundtrip_parallel(string profile) =>
        run.MeasureAsync(
            new SignalRoundTripThroughputScenario(SignalRoundTripThroughputScenario.Parallel.At(run.Variables.Size)),
            profile);
}
