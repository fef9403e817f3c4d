namespace PerformanceTests.Tiers;

/// <summary>One workflow at a time.</summary>
[Trait(TierNames.Trait, TierNames.Latency)]
public sealed class LatencyTests(RunFixture run) : TierTests(run)
{
    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Signal_roundtrip_serial(string profile) =>
        RunAsync(new SignalRoundTripLatencyScenario(SignalRoundTripLatencyScenario.Serial.At(Variables.Size)), profile);
}
