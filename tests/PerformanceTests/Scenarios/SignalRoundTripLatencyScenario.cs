namespace PerformanceTests.Scenarios;

/// <summary>One workflow at a time and one signal worker; the next begins when the service is idle again.</summary>
public sealed class SignalRoundTripLatencyScenario(ScenarioVariant variant)
    : RoundTripScenario(variant, "signal-roundtrip", "roundtrip")
{
    public static ScenarioVariant Serial { get; } =
        new("signal-roundtrip-latency-serial", TierNames.Latency, 16, 1)
            { SignalWorkers = 1, FullSizeOperations = 4_000 };

    public override string Question => "How long does one workflow take when nothing else runs?";

    public override BatchShape Shape => BatchShape.EachAlone;

    /// <summary>A workflow that nothing else delays and that takes a second is broken on any machine.</summary>
    public override IReadOnlyList<Threshold> Thresholds => [.. base.Thresholds, Threshold.AtMost("averageMs", 1_000)];
}
