namespace PerformanceTests.Scenarios;

/// <summary>The wave at four numbers of requests at a time.</summary>
public sealed class SignalRoundTripCapacityScenario(ScenarioForm form) : SignalRoundTripWaveScenario(form)
{
    /// <summary>From the smallest rung to the largest.</summary>
    public static IReadOnlyList<ScenarioForm> Ladder { get; } = [Rung(1, 2_000), Rung(4, 4_000), Rung(8, 8_000), Rung(16, 16_000)];

    public override string Question => "How does throughput grow with the number of requests at a time, and from which rung on does it not?";

    private static ScenarioForm Rung(int concurrency, int fullSize) =>
        new($"signal-roundtrip-capacity-c{concurrency}", TierNames.Capacity, 16 * concurrency, concurrency) { FullSizeOperations = fullSize };
}
