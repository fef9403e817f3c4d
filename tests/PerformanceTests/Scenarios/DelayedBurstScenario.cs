namespace PerformanceTests.Scenarios;

/// <summary>Signals that are due 2 s after they are published.</summary>
public sealed class DelayedBurstScenario(ScenarioVariant variant) : BurstScenario(variant)
{
    public static ScenarioVariant Smoke { get; } = new("delayed-burst-smoke", TierNames.Smoke, 12, 1);

    public static ScenarioVariant Nightly { get; } =
        new("delayed-burst-nightly", TierNames.Nightly, 48, 1) { FullSizeOperations = 4_000 };

    public override string Question => "How punctual are durable delayed signals: never early, and how late?";

    public override TimeSpan DueAfter => TimeSpan.FromSeconds(2);

    public override IReadOnlyList<string> Phases =>
        [
            PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion,
            PhaseNames.SignalToCompletion, PhaseNames.DrainToIdle, PhaseNames.DueToCompletion,
        ];
}
