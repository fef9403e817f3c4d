namespace PerformanceTests.Scenarios;

/// <summary>
/// The round trip, one after the other in each of sixteen copies, for as long as a window of a gate lasts. Its verdict is that of the smoke
/// tier: by its account alone, for a second or two say nothing about steadiness.
/// </summary>
public sealed class SignalRoundTripWindowScenario(TimeSpan window) : RoundTripScenario(Window, "signal-roundtrip", "roundtrip")
{
    public override string Question => "Is one build of the service slower, or costlier, than another?";

    public override TimeSpan? Duration => window;

    public override BatchShape Shape => BatchShape.Continuous;

    /// <summary>The windows before the first that counts have warmed up.</summary>
    public override int WarmUpOperations => 0;

    private static ScenarioVariant Window { get; } = new("signal-roundtrip-windows-xl", TierNames.Smoke, 0, 16);
}
