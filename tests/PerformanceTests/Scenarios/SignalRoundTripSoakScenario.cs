namespace PerformanceTests.Scenarios;

/// <summary>The round trip, one after the other in each of eight copies, for a number of operations or for a time.</summary>
public sealed class SignalRoundTripSoakScenario(ScenarioVariant variant, TimeSpan? duration)
    : RoundTripScenario(variant, "signal-roundtrip", "roundtrip")
{
    public static ScenarioVariant Soak { get; } = new("signal-roundtrip-soak", TierNames.Soak, 108, 8) { FullSizeOperations = 10_000 };

    public override string Question => "Does the service stay correct, and as fast as it was, for as long as it is loaded?";

    /// <summary><c>WORKFLOW_PERF_DURATION</c>; null runs the variant's operations.</summary>
    public override TimeSpan? Duration => duration;

    public override BatchShape Shape => BatchShape.Continuous;
}
