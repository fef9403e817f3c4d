namespace PerformanceTests.Scenarios;

/// <summary>The round trip, each operation by itself: what the search for the capacity offers at a rate. It has no number of operations of its own.</summary>
public sealed class SignalRoundTripCapacitySearchScenario()
    : RoundTripScenario(new ScenarioForm("signal-roundtrip-capacity-search", TierNames.Capacity, 0, 0), "signal-roundtrip", "roundtrip")
{
    public override string Question => "How many workflows a second does the service carry, and what limits it?";

    public override WaveShape Shape => WaveShape.Continuous;
}
