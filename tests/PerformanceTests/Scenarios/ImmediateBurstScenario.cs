namespace PerformanceTests.Scenarios;

/// <summary>Signals that are due at once.</summary>
public sealed class ImmediateBurstScenario(ScenarioVariant variant) : BurstScenario(variant)
{
    public static ScenarioVariant Smoke { get; } = new("immediate-burst-smoke", TierNames.Smoke, 24, 1);

    public static ScenarioVariant Nightly { get; } =
        new("immediate-burst-nightly", TierNames.Nightly, 120, 1) { FullSizeOperations = 4_000 };

    public override string Question =>
        "How fast does the durable signal path carry a burst, without a workflow behind it?";

    public override IReadOnlyList<string> Phases =>
        [PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion, PhaseNames.SignalToCompletion,
            PhaseNames.DrainToIdle];
}
