namespace PerformanceTests.Scenarios;

/// <summary>The batch with eight signal workers: what the engine carries when nothing waits for a worker.</summary>
public sealed class SignalRoundTripThroughputScenario(ScenarioVariant variant) : SignalRoundTripBatchScenario(variant)
{
    public static ScenarioVariant Parallel { get; } =
        new("signal-roundtrip-throughput-parallel", TierNames.Throughput, 96, 16)
            { SignalWorkers = 8, FullSizeOperations = 16_000 };

    public override string Question =>
        "How many workflows does the engine carry in a second with eight signal workers?";
}
