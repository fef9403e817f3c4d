namespace PerformanceTests.Tiers;

/// <summary>One workflow at a time.</summary>
[Trait(TierNames.Trait, TierNames.Latency)]
public sealed class LatencyTests(RunFixture run)
{
    [Theory]
    [MemberData(nameof(RunFixture.Profiles), MemberType = typeof(RunFixture))]
    public Task Signal_roundtrip_serial(string profile) =>
        run.MeasureAsync(
            new SignalRoundTripLatencyScenario(SignalRoundTripLatencyScenario.Serial.At(run.Variables.Size)), profile);
}
