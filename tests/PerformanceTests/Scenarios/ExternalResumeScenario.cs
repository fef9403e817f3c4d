namespace PerformanceTests.Scenarios;

/// <summary>Start, wait for an external signal, resume, complete.</summary>
public sealed class ExternalResumeScenario(ScenarioVariant variant)
    : RoundTripScenario(variant, "synthetic-external-resume", "external-resume")
{
    public static ScenarioVariant Smoke { get; } = new("synthetic-external-resume-smoke", TierNames.Smoke, 12, 4);

    public static ScenarioVariant Nightly { get; } =
        new("synthetic-external-resume-nightly", TierNames.Nightly, 36, 8) { FullSizeOperations = 8_000 };

    public override string Question =>
        "Does a waiting workflow resume on an external signal, exactly once, and how long does each phase take?";

    public override BatchShape Shape => IsFullSize ? BatchShape.Continuous : BatchShape.Together;
}
