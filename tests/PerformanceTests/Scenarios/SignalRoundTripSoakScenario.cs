namespace PerformanceTests.Scenarios;

/// <summary>
/// The round trip, one after the other in each of eight copies, for a number of operations or for a time.
/// </summary>
public sealed class SignalRoundTripSoakScenario(ScenarioVariant variant, TimeSpan? duration)
    : RoundTripScenario(variant, "signal-roundtrip", "roundtrip")
{
    public static ScenarioVariant Soak { get; } =
        new("signal-roundtrip-soak", TierNames.Soak, 108, 8) { FullSizeOperations = 10_000 };

    public override string Question =>
        "Does the service stay correct, and as fast as it was, for as long as it is loaded?";

    /// <summary><c>WORKFLOW_PERF_DURATION</c>; null runs the variant's operations.</summary>
    public override TimeSpan? Duration => RatePerSecond is null ? duration : duration ?? TimeSpan.FromSeconds(30);

    /// <summary>The rate of an open load; null for a closed load.</summary>
    public override int? RatePerSecond => Rate;

    /// <summary>Sets <see cref="RatePerSecond"/>.</summary>
    public int? Rate { get; init; }

    /// <summary>Operations before the load. Null (the default) for those of the variant.</summary>
    public int? WarmUps { get; init; }

    /// <summary>
    /// Before a load of a given time some two seconds of work: with 32 operations its latency fell all through the
    /// first 20 s, as code was compiled once more.
    /// </summary>
    public override int WarmUpOperations => WarmUps ?? (Duration is null ? base.WarmUpOperations : 4_096);

    public override BatchShape Shape => BatchShape.Continuous;
}
