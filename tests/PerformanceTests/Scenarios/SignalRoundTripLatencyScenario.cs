namespace PerformanceTests.Scenarios;

/// <summary>One workflow at a time and one signal worker; the next begins when the service is idle again.</summary>
public sealed class SignalRoundTripLatencyScenario(ScenarioForm form) : RoundTripScenario(form, "signal-roundtrip", "roundtrip")
{
    public static ScenarioForm Serial { get; } =
        new("signal-roundtrip-latency-serial", TierNames.Latency, 16, 1) { SignalWorkers = 1, FullSizeOperations = 4_000 };

    public override string Question => "How long does one workflow take when nothing else runs?";

    public override WaveShape Shape => WaveShape.EachAlone;
}
