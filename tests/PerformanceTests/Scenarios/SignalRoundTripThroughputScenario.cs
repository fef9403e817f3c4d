namespace PerformanceTests.Scenarios;

/// <summary>The wave with eight signal workers: what the engine carries when nothing waits for a worker.</summary>
public sealed class SignalRoundTripThroughputScenario(ScenarioForm form) : SignalRoundTripWaveScenario(form)
{
    public static ScenarioForm Parallel { get; } =
        new("signal-roundtrip-throughput-parallel", TierNames.Throughput, 96, 16) { SignalWorkers = 8, FullSizeOperations = 16_000 };

    public override string Question => "How many workflows does the engine carry in a second with eight signal workers?";
}
