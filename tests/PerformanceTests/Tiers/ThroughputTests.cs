namespace PerformanceTests.Tiers;

/// <summary>As much as the engine carries.</summary>
[Trait(TierNames.Trait, TierNames.Throughput)]
public sealed class ThroughputTests(RunFixture run) : TierTests(run)
{
    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Signal_roundtrip_parallel(string profile) =>
        RunAsync(new SignalRoundTripThroughputScenario(SignalRoundTripThroughputScenario.Parallel.At(Variables.Size)), profile);
}
