namespace PerformanceTests.Scenarios;

/// <summary>
/// The round trip, each operation by itself: what the search for the capacity offers at a rate. It has no number of
/// operations of its own.
/// </summary>
internal sealed class SignalRoundTripCapacitySearchScenario() : RoundTripScenario(Search, "signal-roundtrip", "roundtrip")
{
    public override string Question => "How many workflows a second does the service carry, and what limits it?";

    public override int WarmUpConcurrency => 16;

    public override BatchShape Shape => BatchShape.Continuous;

    /// <summary>Full size, which warms up accordingly.</summary>
    private static ScenarioVariant Search { get; } =
        new ScenarioVariant("signal-roundtrip-capacity-search", TierNames.Capacity, 0, 0) { FullSizeOperations = 0 }
            .At(ScenarioSize.Xl);
}
