namespace PerformanceTests.Scenarios;

/// <summary>The batch at four numbers of requests at a time.</summary>
public sealed class SignalRoundTripCapacityScenario(ScenarioVariant variant) : SignalRoundTripBatchScenario(variant)
{
    /// <summary>From the smallest load step to the largest.</summary>
    public static IReadOnlyList<ScenarioVariant> Ladder
    {
        get;
    } = [LoadStep(1, 2_000), LoadStep(4, 4_000), LoadStep(8, 8_000), LoadStep(16, 16_000)];

    public override string Question =>
        $"How many workflows complete in a second with {Quantity.Of(Concurrency, "request")} at a "
            + "time, one step of a ladder?";

    private static ScenarioVariant LoadStep(int concurrency, int fullSize) =>
        new($"signal-roundtrip-capacity-c{concurrency}", TierNames.Capacity, 16 * concurrency,
            concurrency) { FullSizeOperations = fullSize };
}
